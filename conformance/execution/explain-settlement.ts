import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Explained } from '../model/evidence.ts';
import {
  describeEvidence,
  NATIVE_TOKEN,
  type PriceMove,
  type Scene,
  type SettledPlan,
  type SwapPlan,
  tokenBought,
  tokenSold,
} from '../model/settlement.ts';
import { type Address, leastBought, mostSold, type TradeRequest } from '../model/trade-request.ts';
import { approvalCalls } from './approvals.ts';
import { OUT_OF_GAS, transfersIn } from './call-trace.ts';
import { allowanceText, describeFailedTransfer, describeTrace } from './describe-trace.ts';
import type { ForkSession } from './fork-session.ts';
import { balanceOf, fundToken } from './funding.ts';
import { type Rpc, undefinedIfRejected } from './json-rpc.ts';
import { ampleGas, type Made, makeTrade } from './make-trade.ts';
import { type Names, nameAccounts } from './name-accounts.ts';
import { readSwapPlan } from './read-swap-plan.ts';
import { isolated } from './send.ts';
import type { ForkedMarket } from './settle-trades.ts';

/** Trades that move a price sell many times the amount of the trade. */
const TIMES_WITH_EARLIER = 200n;
const ABI = parseAbi([
  'function allowance(address owner, address spender) view returns (uint256)',
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
]);

/**
 * Repeats a trade in a real transaction, and returns all its effects and everything needed to repeat
 * it; undefined if its circumstances are unknown.
 */
export async function explainSettlement(
  forked: ForkedMarket,
  item: SettledPlan | PriceMove,
): Promise<Explained | undefined> {
  const { session } = forked;
  const { request, exchange } = item;
  const plan = 'plan' in item ? item.plan : readSwapPlan(exchange);
  const scene = sceneOf(item);
  if (plan === undefined || scene === undefined) return undefined;
  await session.refresh(scene.blockNumber);
  if (session.fork().block.number !== scene.blockNumber) return undefined;
  const approved = await prepare(session, scene, { request, plan });
  const rpc = session.rpc();
  const names = nameAccounts(forked, { request, plan }, scene);
  const gas = gasOf(item) ?? ampleGas(session.fork().block);
  return isolated(rpc, async () => {
    await standIn(rpc, scene, plan);
    await session.emptyBuyer({ request, plan });
    const overrides = await readOverrides(rpc, scene, names);
    const approvals = await readApprovals(session, scene.user, approved, names);
    const { earlier = [], timestamp = 0, trade } = scene;
    const { nativeToken } = session;
    const made = await makeTrade(session.fork(), {
      ...scene,
      earlier,
      timestamp,
      gas,
      nativeToken,
    });
    const { number, timestamp: madeAt, hash } = session.fork().block;
    return {
      trade: describeEvidence(item),
      chainId: scene.chainId,
      block: { number, timestamp: madeAt, hash },
      transaction: {
        ...tell(trade),
        from: scene.user,
        gas: String(gas),
        timestamp: made.timestamp,
      },
      overrides,
      approvals,
      earlier: earlier.map(tell),
      ...limitOf(request, plan),
      changes: describeChanges(made, scene, { request, plan }, names),
      ...describeSettlement(made, names, approvals),
    };
  });
}

type Planned = Pick<SettledPlan, 'request' | 'plan'>;

/** Returns the circumstances of the failed trade: at once, or a minute later. */
function sceneOf(item: SettledPlan | PriceMove): Scene | undefined {
  const { effects } = item;
  if (!('effectsLater' in item) || effects.kind === 'reverted') return effects.scene;
  const { effectsLater } = item;
  return (effectsLater.kind === 'reverted' ? effectsLater : effects).scene;
}

/** Returns the gas limit if it is the only reason why the trade fails. */
function gasOf(item: SettledPlan | PriceMove): bigint | undefined {
  const isShort =
    'mined' in item && (item.mined?.kind === 'refused' || item.mined?.success === false);
  return isShort ? item.transaction.gasLimit : undefined;
}

/** Funds the user and approves the sold tokens; returns the approved tokens. */
async function prepare(
  session: ForkSession,
  { earlier = [] }: Scene,
  { request, plan }: Planned,
): Promise<readonly Address[]> {
  const times = earlier.length > 0 ? TIMES_WITH_EARLIER : 1n;
  const sold = request.sell.native ? [] : [plan.sell.token];
  await session.prepare(new Map(sold.map((token) => [token, mostSold(request, plan) * times])));
  return [...new Set([...sold, ...session.bystanders()])];
}

/** Replaces the code of other accounts, and funds them with the tokens that they sell. */
async function standIn(rpc: Rpc, { code = {} }: Scene, plan: SwapPlan): Promise<void> {
  for (const [account, itsCode] of Object.entries(code) as [Address, Hex][]) {
    await rpc('anvil_setCode', [account, itsCode]);
    for (const { token, amount } of [plan.sell, plan.buy]) {
      const held = (await balanceOf(rpc, token, account)) ?? 0n;
      if (held === 0n) await fundToken(rpc, token, account, amount * TIMES_WITH_EARLIER);
    }
  }
}

async function readOverrides(
  rpc: Rpc,
  { user, code = {}, tokens }: Scene,
  { symbolOf }: Names,
): Promise<Explained['overrides']> {
  const accounts = [user, ...(Object.keys(code) as Address[])];
  const held: Explained['overrides']['tokens'] = [];
  for (const account of accounts) {
    for (const token of tokens.filter((each) => each !== NATIVE_TOKEN)) {
      const amount = (await balanceOf(rpc, token, account)) ?? 0n;
      if (amount > 0n) held.push({ account, token, ...symbolOf(token), amount: String(amount) });
    }
  }
  return {
    native: String(BigInt(await rpc<string>('eth_getBalance', [user, 'latest']))),
    tokens: held,
    code: Object.entries(code).map(([account, itsCode]) => ({ account, code: itsCode })),
  };
}

async function readApprovals(
  session: ForkSession,
  user: Address,
  tokens: readonly Address[],
  { nameAs, symbolOf }: Names,
): Promise<Explained['approvals']> {
  const pairs = tokens.flatMap((token) => session.approvals().map((each) => ({ token, ...each })));
  return Promise.all(
    pairs.map(async ({ token, ...approval }) => {
      const { spender, router, viaPermit2 } = approval;
      const [contract, args] = viaPermit2
        ? [spender, [user, token, router] as const]
        : [token, [user, spender] as const];
      const data = encodeFunctionData({ abi: ABI, functionName: 'allowance', args });
      return {
        token,
        ...symbolOf(token),
        spender,
        ...nameAs('spenderName', spender),
        ...(viaPermit2 && { router }),
        allowance: String(await readFirst(session.rpc(), contract, data)),
        calls: approvalCalls(token, approval).map(tell),
      };
    }),
  );
}

async function readFirst(rpc: Rpc, to: Address, data: Hex): Promise<bigint> {
  const returned =
    (await undefinedIfRejected(rpc<string>('eth_call', [{ to, data }, 'latest']))) ?? '';
  return returned.length >= 66 ? BigInt(returned.slice(0, 66)) : 0n;
}

function tell({ to, value, data }: Scene['trade']) {
  return { to, value: String(value), data };
}

function limitOf(request: TradeRequest, plan: SwapPlan): Pick<Explained, 'limit'> {
  const { slippageBps: toleranceBps } = request;
  if (toleranceBps === undefined) return {};
  const [least, most] = [leastBought(request, plan), mostSold(request, plan)];
  return { limit: { toleranceBps, leastBought: String(least), mostSold: String(most) } };
}

/** Returns each balance that changed, or that should have changed according to the plan. */
function describeChanges(
  { change }: Made,
  { user, tokens, holders }: Scene,
  planned: Planned,
  { nameAs, symbolOf }: Names,
): Explained['changes'] {
  const { request, plan } = planned;
  const receiver = request.recipient ?? user;
  const expectedOf = (account: Address, token: Address) =>
    (account === user && token === tokenSold(planned) ? -plan.sell.amount : 0n) +
    (account === receiver && token === tokenBought(planned) ? plan.buy.amount : 0n);
  const measured = holders.flatMap((account) => tokens.map((token) => ({ account, token })));
  return measured.flatMap(({ account, token }) => {
    const amount = change(token, account);
    const expected = expectedOf(account, token);
    if (amount === undefined || (expected === 0n && amount === 0n)) return [];
    return [
      {
        account,
        ...nameAs('name', account),
        token,
        ...symbolOf(token),
        expected: String(expected),
        actual: String(amount),
        ...shareOf(amount, expected),
      },
    ];
  });
}

/** Returns the actual change divided by the expected one, if a change was expected. */
export function shareOf(actual: bigint, expected: bigint): { readonly share?: number } {
  return expected === 0n ? {} : { share: Number((actual * 1_000_000n) / expected) / 1e6 };
}

/** Returns all effects of a trade except balances. */
export function describeSettlement(
  made: Made,
  names: Names,
  approvals: Explained['approvals'],
): Pick<Explained, 'outcome' | 'transfers' | 'trace'> {
  return {
    outcome: describeOutcome(made, names, approvals),
    transfers: describeTransfers(made, names),
    trace: made.calls === undefined ? [] : [...describeTrace(made.calls, names.nameOf)],
  };
}

/** Returns the outcome of a trade; for a failed transfer, with the allowances. */
function describeOutcome(
  { mined, calls }: Made,
  { nameOf, symbolOf }: Names,
  approvals: Explained['approvals'],
): Explained['outcome'] {
  if (mined.kind === 'refused') return mined;
  const gasUsed = String(mined.gasUsed);
  if (mined.success) return { kind: 'settled', gasUsed };
  const allowanceOf = (token: Address, owner: Address, spender: Address) => {
    const given = approvals.filter((each) => each.token === token);
    const words = given.map(
      ({ spender: to, spenderName, router, allowance }) =>
        `${spenderName ?? to} for ${allowanceText(allowance)}${router === undefined ? '' : ` through ${nameOf(router as Address) ?? router}`}`,
    );
    const symbol = symbolOf(token).symbol ?? token;
    const other = given.some((each) => each.spender === spender || each.router === spender)
      ? ''
      : `, and not ${nameOf(spender) ?? spender}`;
    return `${nameOf(owner) ?? owner} approved of ${symbol} ${words.join(', ') || 'nobody'}${other}`;
  };
  // The gas may have run out within a transfer that has no other fault.
  const isShort = mined.error === OUT_OF_GAS;
  const transfer = isShort
    ? undefined
    : calls && describeFailedTransfer(calls, nameOf, allowanceOf);
  const reason = [mined.reason, transfer].filter((each) => each !== undefined).join('; ');
  return { kind: 'reverted', gasUsed, ...(reason !== '' && { reason }) };
}

/** Returns the payments in the order of the transaction. */
function describeTransfers({ calls }: Made, { nameAs, symbolOf }: Names): Explained['transfers'] {
  const transfers = calls === undefined ? [] : transfersIn(calls);
  return transfers.map(({ from, to, token, amount }) => ({
    from,
    ...nameAs('fromName', from),
    to,
    ...nameAs('toName', to),
    token,
    ...symbolOf(token),
    amount: String(amount),
  }));
}
