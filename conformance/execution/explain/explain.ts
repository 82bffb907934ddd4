import type { ExplainedSettlement, SavedScenario } from '../../model/evidence.ts';
import type { Scenario, Settlement } from '../../model/scenario.ts';
import {
  describeEvidence,
  type Evidence,
  type EvidenceKind,
  type Settled,
  type SwapPlan,
  tokenBought,
  tokenSold,
} from '../../model/settlement.ts';
import { type Address, maxSold, minBought, type TradeRequest } from '../../model/trade-request.ts';
import type { Fork, ForkedMarket } from '../fork/fork.ts';
import { changesOfPools, type PlannedChange } from '../fork/pool-scenario.ts';
import { allowanceRead, readWords } from '../scenario/token-reads.ts';
import { whyFailed } from '../settle/call-trace.ts';
import { OUT_OF_GAS } from '../settle/revert.ts';
import { simulateWithCalls } from '../settle/trace-call.ts';
import { describeFailedTransfer, describeTrace, formatAllowance } from './describe-trace.ts';
import { type Names, nameAccounts } from './name-accounts.ts';

/**
 * Settles a failed trade again. Returns all its effects, and everything needed to repeat it.
 * Returns undefined if the trade was never settled, or if the node no longer has its block.
 */
export async function explainSettlement(
  forked: ForkedMarket,
  item: Evidence[EvidenceKind],
): Promise<ExplainedSettlement | undefined> {
  const { fork } = forked;
  const failed = failedOf(item);
  if (failed === undefined) return undefined;
  const { scenario } = failed;
  await fork.refresh(scenario.block);
  const { block } = fork;
  if (block.number !== scenario.block) return undefined;
  const names = nameAccounts(forked, item, scenario);
  const approvals = 'pools' in item ? [] : await readApprovals(fork, item, scenario, names);
  const settlement = await simulateWithCalls(fork, scenario);
  const { number, timestamp, hash } = block;
  return {
    trade: describeEvidence(item),
    block: { number, timestamp, hash },
    scenario: savedScenario(scenario),
    approvals,
    ...limitOf(item.request, item.plan),
    changes: describeChanges(settlement, scenario, plannedChanges(fork, item), names),
    ...describeSettlement(settlement, names, approvals),
  };
}

/**
 * Returns the settlement that failed: with the plan's gas limit, with ample gas, or a minute later.
 */
function failedOf(item: Evidence[EvidenceKind]): Settled | undefined {
  if (!('later' in item)) return item.now;
  const { atGasLimit, now, later } = item;
  const all = [atGasLimit, now, later].filter((each) => each !== undefined);
  return all.find(({ settlement }) => settlement.outcome !== 'settled') ?? now;
}

async function readApprovals(
  fork: Fork,
  { request, plan }: Evidence[EvidenceKind],
  { overrides, measured }: Scenario,
  { nameAs, symbolOf }: Names,
): Promise<ExplainedSettlement['approvals']> {
  const { user } = request;
  const sold = request.sell.native ? [] : [plan.sell.token];
  const others = fork.bystanders.filter((token) => measured.tokens.includes(token));
  const tokens = [...new Set([...sold, ...others])];
  const pairs = tokens.flatMap((token) => fork.approvals.map((each) => ({ token, ...each })));
  return Promise.all(
    pairs.map(async ({ token, spender, router, viaPermit2 }) => {
      const read = viaPermit2
        ? allowanceRead(spender, [user, token, router])
        : allowanceRead(token, [user, spender]);
      const [allowance = 0n] = (await readWords(fork.rpc, read, overrides)) ?? [];
      return {
        token,
        ...symbolOf(token),
        spender,
        ...nameAs('spenderName', spender),
        ...(viaPermit2 && { router }),
        allowance: String(allowance),
      };
    }),
  );
}

function limitOf(request: TradeRequest, plan: SwapPlan): Pick<ExplainedSettlement, 'limit'> {
  const { slippageBps: toleranceBps } = request;
  if (toleranceBps === undefined) return {};
  const [least, most] = [minBought(request, plan), maxSold(request, plan)];
  return { limit: { toleranceBps, leastBought: String(least), mostSold: String(most) } };
}

function plannedChanges(fork: Fork, item: Evidence[EvidenceKind]): readonly PlannedChange[] {
  if ('pools' in item) return changesOfPools(fork, item);
  const { request, plan } = item;
  const { user, recipient = user } = request;
  return [
    { account: user, token: tokenSold(item), amount: -plan.sell.amount },
    { account: recipient, token: tokenBought(item), amount: plan.buy.amount },
  ];
}

function describeChanges(
  { changes }: Settlement,
  { measured }: Scenario,
  planned: readonly PlannedChange[],
  { nameAs, symbolOf }: Names,
): ExplainedSettlement['changes'] {
  const expectedOf = (account: Address, token: Address) =>
    planned.reduce(
      (sum, each) => sum + (each.account === account && each.token === token ? each.amount : 0n),
      0n,
    );
  const { tokens, holders } = measured;
  const places = holders.flatMap((account) => tokens.map((token) => ({ account, token })));
  return places.flatMap(({ account, token }) => {
    const change = changes.find((each) => each.token === token && each.holder === account);
    const amount = change === undefined ? 0n : change.amount;
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

/** Returns the ratio of the actual change to the expected one, if a change was expected. */
export function shareOf(actual: bigint, expected: bigint): { readonly share?: number } {
  return expected === 0n ? {} : { share: Number((actual * 1_000_000n) / expected) / 1e6 };
}

/** Returns all effects of a trade except its balances. */
export function describeSettlement(
  settlement: Settlement,
  names: Names,
  approvals: ExplainedSettlement['approvals'],
): Pick<ExplainedSettlement, 'outcome' | 'transfers' | 'trace'> {
  const { calls } = settlement;
  return {
    outcome: describeOutcome(settlement, names, approvals),
    transfers: describeTransfers(settlement, names),
    trace: calls === undefined ? [] : [...describeTrace(calls, names.nameOf)],
  };
}

function describeOutcome(
  { outcome: kind, gasUsed: units, reason: why, calls }: Settlement,
  { nameOf, symbolOf }: Names,
  approvals: ExplainedSettlement['approvals'],
): ExplainedSettlement['outcome'] {
  if (kind === 'rejected') return { kind, ...(why !== undefined && { reason: why }) };
  const gasUsed = String(units);
  if (kind === 'settled') return { kind, gasUsed };
  const allowanceOf = (token: Address, owner: Address, spender: Address) => {
    const symbol = symbolOf(token).symbol ?? token;
    const given = approvals.filter((each) => each.token === token);
    const words = given.map(
      ({ spender: to, spenderName, router, allowance }) =>
        `${spenderName ?? to} for ${formatAllowance(allowance)} of ${symbol}${router === undefined ? '' : ` through ${nameOf(router as Address) ?? router}`}`,
    );
    const other = given.some((each) => each.spender === spender || each.router === spender)
      ? ''
      : `, but not ${nameOf(spender) ?? spender}`;
    return `${nameOf(owner) ?? owner} approved ${words.join(', ') || `nobody for ${symbol}`}${other}`;
  };
  // If gas ran out, that may be the only reason why the transfer failed.
  const failure = calls === undefined ? { reason: why } : whyFailed(calls);
  const transfer =
    calls === undefined || ('error' in failure && failure.error === OUT_OF_GAS)
      ? undefined
      : describeFailedTransfer(calls, nameOf, allowanceOf);
  const reason = [failure.reason, transfer].filter((each) => each !== undefined).join('; ');
  return { kind, gasUsed, ...(reason !== '' && { reason }) };
}

function describeTransfers(
  { payments }: Settlement,
  { nameAs, symbolOf }: Names,
): ExplainedSettlement['transfers'] {
  return payments.map(({ from, to, token, amount }) => ({
    from,
    ...nameAs('fromName', from),
    to,
    ...nameAs('toName', to),
    token,
    ...symbolOf(token),
    amount: String(amount),
  }));
}

const AMOUNTS: ReadonlySet<string> = new Set(['balance', 'value', 'gas', 'baseFee', 'gasLimit']);

/** Returns a scenario as JSON, with amounts as text. */
function savedScenario(scenario: Scenario): SavedScenario {
  return JSON.parse(
    JSON.stringify(scenario, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  );
}

/** Returns the scenario that a file contains. */
export function readScenario(saved: SavedScenario): Scenario {
  return JSON.parse(JSON.stringify(saved), (name, value) =>
    AMOUNTS.has(name) ? BigInt(value) : value,
  );
}
