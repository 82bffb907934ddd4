import PQueue from 'p-queue';
import type { Executed } from '../model/executor.ts';
import { effectsOf, type SettledOnce, type SettledPlan, type Trade } from '../model/settlement.ts';
import type { ForkedMarket } from './as-returned.ts';
import { NEXT_BLOCK_S } from './fork-session.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { holdersOf, scenarioOf } from './scenario.ts';
import { simulate } from './simulate.ts';

/** Maximum trades that are settled at once. */
const CONCURRENT_TRADES = 16;

/**
 * Sends the calldata of plans without a recipient from another account than it was requested for. The
 * wallet that it was requested for holds and approves the same.
 */
export async function settleByAnother(
  forked: ForkedMarket,
  plans: readonly SettledPlan[],
): Promise<Executed<SettledOnce>> {
  const { session } = forked;
  const sent = plans.flatMap(({ request, exchange, plan, transaction, now }): readonly Trade[] => {
    const isPlain = now.scenario.before.length === 0 && request.recipient === undefined;
    const { user: wallet } = request;
    const other = { ...request, wallet, user: session.accounts.wallet };
    return isPlain ? [{ request: other, exchange, plan, transaction }] : [];
  });
  const settle = (trade: Trade) => () => undefinedIfNodeFailed(() => settleOnce(forked, trade));
  const settled = await new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(sent.map(settle));
  return { items: settled.filter((item) => item !== undefined), skipped: [] };
}

/** Settles a trade with ample funds; undefined if its user cannot be given them. */
export async function settleOnce(
  { session }: ForkedMarket,
  trade: Trade,
): Promise<SettledOnce | undefined> {
  const scenario = await scenarioOf(session, trade, session.blockTimeIn(NEXT_BLOCK_S));
  if (typeof scenario === 'string') return undefined;
  const settlement = await simulate(session.fork(), scenario);
  const holders = holdersOf(session, trade);
  const now = { scenario, settlement };
  return { ...trade, now, holders, effects: effectsOf(trade, holders, settlement) };
}
