import { encodeFunctionData, erc20Abi } from 'viem';
import { ppmOf } from '../../checks/conservation.ts';
import type { BalanceChange, Scenario, Settlement } from '../../model/scenario.ts';
import {
  type Effects,
  effectsOf,
  NATIVE_TOKEN,
  type Settled,
  type SwapPlan,
  tokenBought,
  tokenSold,
} from '../../model/settlement.ts';
import { type Address, maxSold, minBought, type TradeRequest } from '../../model/trade-request.ts';
import type { Fork } from '../fork/fork.ts';
import { gasPriceIn } from '../settle/gas-price.ts';
import { isImpossible } from '../settle/impossible.ts';
import { combine, combineLargest, NOTHING } from '../settle/provision.ts';
import { simulate } from '../settle/simulate.ts';

/** A plain transfer that loses more than this, plus two units, pays a fee of the token. */
const MAX_ROUNDING_PPM = 1;
/** Maximum units by which rounding differs between two transfers of the same amount. */
const ROUNDING_UNITS = 2n;

type Planned = { readonly request: TradeRequest; readonly plan: SwapPlan };
type Place = { readonly token: Address; readonly holder: Address };
/** A balance, and the changes of it that need no explanation, in base units. */
type Expected = Place & { readonly low: bigint; readonly high?: bigint };

/**
 * Returns the effects of a trade, except for those that its tokens cause by themselves. Some
 * balances grow every second, and others are rounded shares, which lose a unit in a transfer.
 *
 * If a balance changes unexpectedly, settles an empty call instead of the trade, and subtracts the
 * changes that this causes. If the sold or bought amount is still slightly wrong, also settles a
 * plain transfer of the expected amount, and subtracts what that gains or loses. If `frozen`, only
 * the quoted amounts are expected.
 */
export async function fairEffects(
  fork: Fork,
  trade: Planned,
  settled: Settled,
  frozen: boolean,
): Promise<Effects> {
  const { scenario, settlement } = settled;
  const { user, recipient: receiver = user } = trade.request;
  const effects = effectsOf(trade, { user, receiver }, settlement);
  const traded = tradedBalances(trade, frozen).filter(({ token }) => canDrift(token, fork));
  const isExpected = (place: Place, amount: bigint) => {
    const { low, high = amount } = traded.find(isAt(place)) ?? { low: 0n, high: 0n };
    return amount >= low && amount <= high;
  };
  const places = [...traded, ...settlement.changes].filter(({ token }) => canDrift(token, fork));
  const isAsExpected = places.every((place) => isExpected(place, amountAt(settlement, place)));
  if (effects.kind === 'reverted' || isAsExpected) return effects;
  const { from } = scenario.trade;
  const nothing = { from, to: fork.accounts.witness, value: 0n, data: '0x' } as const;
  const idle = await simulate(fork, { ...scenario, trade: nothing });
  const changed = settlement.changes.map((change) =>
    change.amount === undefined || !canDrift(change.token, fork)
      ? change
      : { ...change, amount: change.amount - amountAt(idle, change) },
  );
  const onlyIdle = idle.changes
    .filter((place) => canDrift(place.token, fork) && !settlement.changes.some(isAt(place)))
    .map((change) => ({ ...change, amount: -(change.amount ?? 0n) }));
  const withoutDrift = [...changed, ...onlyIdle];
  const rounded = await Promise.all(
    traded
      .filter((place) => !isExpected(place, amountAt({ changes: withoutDrift }, place)))
      .map((place) => withoutRounding(fork, trade, settled, { place, idle })),
  );
  const corrected = rounded.filter((each) => each !== undefined);
  const changes = [
    ...corrected,
    ...withoutDrift.filter((place) => !corrected.some(isAt(place))),
  ].filter(({ amount }) => amount !== 0n);
  return effectsOf(trade, { user, receiver }, { ...settlement, changes });
}

/** Balances of the native token change only by payments. */
function canDrift(token: Address, { nativeToken }: Fork): boolean {
  return token !== NATIVE_TOKEN && token !== nativeToken;
}

function isAt(place: Place): (other: Place) => boolean {
  return ({ token, holder }) => token === place.token && holder === place.holder;
}

function amountAt({ changes }: Pick<Settlement, 'changes'>, place: Place): bigint {
  return changes.find(isAt(place))?.amount ?? 0n;
}

/** Returns the balances that the trade should change. All others should remain the same. */
function tradedBalances(trade: Planned, frozen: boolean): readonly Expected[] {
  const { request, plan } = trade;
  const { user, recipient: receiver = user, swapKind, amount } = request;
  const isExactInput = swapKind === 'exact-input';
  const isExactlySold = frozen || isExactInput;
  const sold = isExactlySold ? plan.sell.amount : maxSold(request, plan);
  const quoted = { low: plan.buy.amount, high: plan.buy.amount };
  const atLeast = isExactInput
    ? { low: minBought(request, plan) }
    : { low: amount, ...(frozen && { high: plan.buy.amount }) };
  return [
    {
      ...{ token: tokenSold(trade), holder: user },
      ...{ low: -sold, high: isExactlySold ? -sold : 0n },
    },
    {
      ...{ token: tokenBought(trade), holder: receiver },
      ...(frozen && isExactInput ? quoted : atLeast),
    },
  ];
}

/**
 * Returns the change of a traded balance without what a plain transfer of the token gains or loses;
 * undefined if no such transfer can be made, or if its loss is a fee.
 */
async function withoutRounding(
  fork: Fork,
  trade: Planned,
  { scenario, settlement }: Settled,
  {
    place: { token, holder, low, high },
    idle,
  }: { readonly place: Expected; readonly idle: Settlement },
): Promise<BalanceChange | undefined> {
  const { plan, request } = trade;
  const { user } = request;
  const change = amountAt(settlement, { token, holder });
  const drift = amountAt(idle, { token, holder });
  const expected = high !== undefined && change - drift > high ? high : low;
  const transfers = settlement.payments.filter(
    (each) => each.token === token && [each.from, each.to].includes(holder),
  ).length;
  const mayExplain = maxRounding(abs(expected)) * BigInt(settlement.payments.length);
  // A contract cannot send a plain transfer.
  if (scenario.trade.from !== user || abs(change - drift - expected) > mayExplain) return undefined;
  const { witness } = fork.accounts;
  const isSold = expected < 0n;
  const [from, to] = isSold ? [user, witness] : [witness, holder];
  const moved = await moveAlone(fork, scenario, { token, amount: abs(expected), from, to });
  if (moved === undefined) return undefined;
  const alike = isSold ? -moved.sent : moved.received;
  if (abs(alike - drift - expected) > maxRounding(abs(expected))) return undefined;
  const isRounded = moved.sent !== abs(expected) || moved.received !== abs(expected);
  const further = isRounded ? ROUNDING_UNITS * BigInt(Math.max(0, transfers - 1)) : 0n;
  const earlier =
    isSold || request.swapKind === 'exact-output'
      ? 0n
      : await lostBefore(fork, plan, { scenario, settlement });
  const off = change - alike;
  return { token, holder, amount: expected + (abs(off) <= further + earlier ? 0n : off) };
}

/** Maximum part of an amount that a token's rounding may lose in one transfer. */
function maxRounding(amount: bigint): bigint {
  return ppmOf(amount, MAX_ROUNDING_PPM) + ROUNDING_UNITS;
}

/**
 * Returns how much less of the bought token a trade buys because the tokens before it lose units in
 * each transfer, in base units.
 */
async function lostBefore(
  fork: Fork,
  { sell, buy, steps, tokens }: SwapPlan,
  { scenario, settlement }: Settled,
): Promise<bigint> {
  const { witness: from, approver: to } = fork.accounts;
  const lost = await Promise.all(
    tokens.map(async (token) => {
      const flows = [sell, ...steps.flatMap((step) => step.to)];
      const amount = flows.reduce(
        (sum, flow) => sum + (flow.token === token ? flow.amount : 0n),
        0n,
      );
      if (token === buy.token || amount === 0n) return 0n;
      const moved = await moveAlone(fork, scenario, { token, amount, from, to });
      const loss = abs(amount - (moved?.received ?? amount));
      if (loss === 0n || loss > maxRounding(amount)) return 0n;
      const transfers = settlement.payments.filter((each) => each.token === token).length;
      return (ROUNDING_UNITS * BigInt(transfers) * buy.amount) / amount + 1n;
    }),
  );
  return lost.reduce((sum, each) => sum + each, 0n);
}

/**
 * Settles a plain transfer instead of a trade. Returns the changes of both balances, or undefined
 * if it fails or if its sender cannot be given the amount.
 */
async function moveAlone(
  fork: Fork,
  scenario: Scenario,
  transfer: {
    readonly token: Address;
    readonly amount: bigint;
    readonly from: Address;
    readonly to: Address;
  },
): Promise<{ readonly sent: bigint; readonly received: bigint } | undefined> {
  const { token, amount, from, to } = transfer;
  const isSender = from === scenario.trade.from;
  const given = isSender ? NOTHING : await fork.funding.give(token, from, amount);
  if (isImpossible(given)) return undefined;
  const gas = { [from]: { balance: scenario.gas * gasPriceIn(scenario.fields) } };
  const { changes, outcome } = await simulate(fork, {
    ...scenario,
    ...combineLargest(
      scenario,
      isSender ? NOTHING : combine(given, { overrides: gas, before: [] }),
    ),
    trade: {
      ...{ from, to: token, value: 0n },
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
    },
    measured: { tokens: [token], holders: [from, to] },
  });
  if (outcome !== 'settled') return undefined;
  return {
    sent: -amountAt({ changes }, { token, holder: from }),
    received: amountAt({ changes }, { token, holder: to }),
  };
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
