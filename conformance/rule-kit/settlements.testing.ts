import type { SettlementChange } from '../model/breaks.ts';
import type { TextOptions } from '../model/format-statement.ts';
import { given, goldenSwap } from '../model/golden-replies.testing.ts';
import type { SettlementRule } from '../model/rule.ts';
import { type Log, type Payment, REJECTED, type Scenario } from '../model/scenario.ts';
import type {
  Effects,
  EvidenceKind,
  PooledPlan,
  PriceMove,
  Settled,
  SettledPlan,
  SettledWithCode,
} from '../model/settlement.ts';
import { NATIVE_TOKEN } from '../model/settlement.ts';
import { openTally } from '../model/tally.ts';
import type { Address, TradeRequest } from '../model/trade-request.ts';
import { type SubjectVerdict, subjectVerdict } from './broken-replies.testing.ts';

/*
 * A settled trade through two pools, which took and paid exactly the planned amounts. The breaks of
 * settlement rules, and tests, change this trade. No chain is involved.
 */

const address = (digit: string): Address => `0x${digit.repeat(40)}`;

/** Addresses of the correct trade, by the names in `SettlementChange`. */
export const NAMED = {
  SELL: address('c'),
  MID: address('b'),
  BUY: address('d'),
  SPARE: address('9'),
  NATIVE: NATIVE_TOKEN,
  user: address('5'),
  receiver: address('6'),
  router: address('e'),
  proxy: address('f'),
  pool1: address('1'),
  pool2: address('2'),
  stranger: address('8'),
} as const;
const { SELL, MID, BUY, SPARE, user, receiver, router, proxy, pool1, pool2 } = NAMED;

const asset = (token: Address, symbol: string, native = false) => ({
  ...{ address: token, symbol, decimals: 18, usdPrice: undefined },
  native,
});
export const request: TradeRequest = {
  chainId: 31337,
  router: 'default-router',
  sell: asset(SELL, 'SELL'),
  buy: asset(BUY, 'BUY'),
  swapKind: 'exact-input',
  amount: 10_000n,
  slippageBps: 100,
  user,
  recipient: undefined,
};
const REQUESTS: Readonly<Record<NonNullable<SettlementChange['trade']>, TradeRequest>> = {
  exactInput: request,
  exactOutput: { ...request, swapKind: 'exact-output', amount: 20_000n },
  nativeSell: { ...request, sell: asset(SELL, 'ETH', true) },
  nativeBuy: { ...request, buy: asset(BUY, 'ETH', true) },
  nativeToNative: {
    ...request,
    sell: asset(SELL, 'ETH', true),
    buy: asset(BUY, 'ETH', true),
  },
};

const settled: Extract<Effects, { kind: 'settled' }> = {
  kind: 'settled',
  gasUsed: 200_000n,
  spent: 10_000n,
  received: 20_000n,
  change: (token, holder) => (token === SELL && holder === user ? -10_000n : undefined),
};
export const reverted: Effects = { kind: 'reverted', reason: 'TRANSFER_FAILED' };
const rejected: Effects = { kind: 'reverted', reason: 'nonce too low', error: REJECTED };

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (account: Address) => `0x${account.slice(2).padStart(64, '0')}`;
export const transfer = (token: Address, from: Address, to: Address, amount: bigint): Log => ({
  address: token,
  topics: [TRANSFER, word(from), word(to)],
  data: `0x${amount.toString(16).padStart(64, '0')}`,
});
const pay = (token: Address, from: Address, to: Address, amount: bigint): Payment => ({
  ...{ token, from, to, amount, by: 'transfer' },
});
const scenario: Scenario = {
  ...{ chainId: 31337, block: 100, time: 1_750_000_000, overrides: {}, before: [], gas: 400_000n },
  fields: {
    ...{ number: 102, baseFee: 1_000_000_000n, coinbase: address('7'), gasLimit: 30_000_000n },
    ...{ prevRandao: `0x${'5a'.repeat(32)}`, parentHash: `0x${'a5'.repeat(32)}` },
    salt: `0x${'3c'.repeat(32)}`,
  },
  trade: { from: user, to: router, value: 0n, data: '0x3593564c' },
  measured: { tokens: [SELL, MID, BUY], holders: [user, receiver, router, proxy] },
};
const now: Settled = {
  scenario,
  settlement: {
    ...{ outcome: 'settled', gasUsed: 250_000n, changes: [] },
    payments: [
      pay(SELL, user, pool1, 10_000n),
      pay(MID, pool1, pool2, 5_000n),
      pay(BUY, pool2, receiver, 20_000n),
    ],
  },
};

const step = (pool: Address, sold: Address, spent: bigint, bought: Address, gained: bigint) => ({
  pool,
  source: 'SourceA',
  from: [{ token: sold, amount: spent }],
  to: [{ token: bought, amount: gained }],
});

export const correctTrade: SettledPlan = {
  request,
  exchange: given(goldenSwap()).exchange,
  plan: {
    sell: { token: SELL, amount: 10_000n },
    buy: { token: BUY, amount: 20_000n },
    steps: [step(pool1, SELL, 10_000n, MID, 5_000n), step(pool2, MID, 5_000n, BUY, 20_000n)],
    tokens: [SELL, MID, BUY],
    decimals: new Map([
      [SELL, 18],
      [BUY, 6],
    ]),
    transaction: undefined,
  },
  transaction: { router, calldata: '0x3593564c', gasLimit: 400_000n },
  frozen: true,
  failedBefore: 0,
  funds: {
    tokens: 'ample',
    approval: 'unlimited',
    native: 'ample',
    bought: 'none',
    others: 'approved',
  },
  blockGasLimit: 30_000_000n,
  transactionGasCap: undefined,
  alternativeYield: undefined,
  routerHasCode: true,
  effects: settled,
  effectsLater: settled,
  ...{ now, atGasLimit: now, later: now },
  holders: { user, receiver, router, proxy },
  bystanders: [SPARE],
  strays: [],
  taken: [],
  untouched: [],
};

const DECIMALS = new Map([
  [SELL, 18],
  [MID, 18],
  [BUY, 6],
]);

const correctTradeAfterMove: PriceMove = {
  ...correctTrade,
  toleranceBps: 100,
  movedBps: 50,
  effects: { ...settled, received: 19_000n },
};

function poolYieldsOf(given: SettlementChange['poolYields'] = []): PooledPlan['pools'] {
  const [first] = correctTrade.plan.steps;
  if (given === 'unknown') return { kind: 'unknown', reason: 'its pool is of another kind' };
  if (given === 'failed' && first) {
    return { kind: 'failed', step: first, reason: 'TRANSFER_FAILED' };
  }
  const yields = correctTrade.plan.steps.map((step, index) => {
    const [sold = step.from[0]?.amount ?? 0n, received = step.to[0]?.amount ?? 0n] =
      (typeof given === 'string' ? undefined : given[index]) ?? [];
    return { step, sold, received };
  });
  return { kind: 'settled', yields };
}

/**
 * Applies a change to the correct settlement. Returns the evidence that rules of the given kind
 * receive.
 */
export function brokenSettlement(
  kind: EvidenceKind,
  change: SettlementChange,
): SettledPlan & PriceMove & PooledPlan & SettledWithCode {
  const start = kind === 'price-moved' ? correctTradeAfterMove : correctTrade;
  const {
    trade = 'exactInput',
    effects,
    effectsLater,
    atGasLimit,
    payments,
    asReturned,
    ...others
  } = change;
  const { decimalsOnChain, poolYields, ...rest } = others;
  const { request, plan, holders, tolerancePpm: _, ...facts } = namesToAddresses(rest);
  return {
    ...correctTrade,
    ...correctTradeAfterMove,
    ...{ decimalsOnChain: DECIMALS, poolsWithoutCode: [] },
    ...{ account: 'contract user', owner: undefined },
    request: { ...REQUESTS[trade], ...request },
    plan: { ...correctTrade.plan, ...plan },
    holders: { ...correctTrade.holders, ...holders },
    effects: changedEffects(
      start.effects,
      effects,
      REQUESTS[trade].sell.native ? 'NATIVE' : 'SELL',
    ),
    ...facts,
    pools: poolYieldsOf(poolYields),
    ...(effectsLater && { effectsLater: reverted }),
    ...(asReturned && { asReturned: { ...settled, ...asReturned } }),
    ...(atGasLimit && { atGasLimit: changedAtGasLimit(atGasLimit) }),
    now: payments === undefined ? now : withPayments(payments),
    ...(decimalsOnChain && {
      decimalsOnChain: new Map<Address, number>(
        Object.entries(decimalsOnChain).map(([token, decimals]) => [
          NAMED[token as Name],
          decimals,
        ]),
      ),
    }),
  };
}

/** Returns the verdict of a settlement rule on the correct settlement with a change. */
export function verdictOnSettlement(
  rule: SettlementRule,
  change: SettlementChange,
): SubjectVerdict | undefined {
  const { tolerancePpm = 0 } = change;
  const reported = openTally(rule);
  rule.check({ ...brokenSettlement(rule.evidence, change), tolerancePpm }, reported.tally);
  return subjectVerdict(reported);
}

/** Options that print the correct trade's addresses as names. */
export const BY_NAME: TextOptions = {
  redactor: { redactText: nameOf, redactSentence: (text) => text },
};

type Name = keyof typeof NAMED;
function nameOf(address: string): string {
  return Object.entries(NAMED).find(([, each]) => each === address)?.[0] ?? address;
}

type ByAddress<Value> = Value extends Name
  ? Address
  : Value extends object
    ? { [Key in keyof Value]: ByAddress<Value[Key]> }
    : Value;

function namesToAddresses<Value>(value: Value): ByAddress<Value>;
function namesToAddresses(value: unknown): unknown {
  if (typeof value === 'string') return NAMED[value as Name] ?? value;
  if (Array.isArray(value)) return value.map((each) => namesToAddresses(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, namesToAddresses(each)]),
  );
}

function changedEffects(
  start: Effects,
  changed: SettlementChange['effects'] = {},
  sold: Name,
): Effects {
  if (changed === 'rejected') return rejected;
  if (changed === 'reverted' || start.kind === 'reverted') return reverted;
  const { change = {}, ...amounts } = changed;
  const balances: Partial<Record<string, Partial<Record<string, bigint>>>> = change;
  return {
    ...start,
    ...amounts,
    change: (token, holder) => {
      const paid = holder === user && token === NAMED[sold] ? -start.spent : undefined;
      return balances[nameOf(token)]?.[nameOf(holder)] ?? paid;
    },
  };
}

function changedAtGasLimit(
  changed: NonNullable<SettlementChange['atGasLimit']>,
): Settled | undefined {
  if (changed === 'unknown') return undefined;
  return { ...now, settlement: { ...now.settlement, ...changed } };
}

function withPayments(changed: NonNullable<SettlementChange['payments']>): Settled {
  const more = changed === 'none' ? [] : namesToAddresses(changed);
  const payments = more.map(({ token, from, to, amount }) => pay(token, from, to, amount));
  const { settlement } = now;
  const all = changed === 'none' ? [] : [...settlement.payments, ...payments];
  return { ...now, settlement: { ...settlement, payments: all } };
}
