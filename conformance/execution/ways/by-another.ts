import PQueue from 'p-queue';
import type { Executed } from '../../model/executor.ts';
import {
  effectsOf,
  type SettledOnce,
  type SettledPlan,
  type Trade,
} from '../../model/settlement.ts';
import type { ForkedMarket } from '../fork/fork-session.ts';
import { holdersOf, scenarioOf } from '../fork/scenario.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { simulate } from '../settle/simulate.ts';

const CONCURRENT_TRADES = 16;

/**
 * Sends the calldata of plans from another account. The wallet for which the calldata was requested
 * has the same balances and approvals.
 */
export async function settleByAnother(
  forked: ForkedMarket,
  plans: readonly SettledPlan[],
): Promise<Executed<SettledOnce>> {
  const { session } = forked;
  const settle = (item: SettledPlan) => async (): Promise<SettledOnce | undefined> => {
    const { request, exchange, plan, transaction, now, effects } = item;
    const other = { ...request, wallet: request.user, user: session.accounts.wallet };
    const trade = { request: other, exchange, plan, transaction };
    const settled = await undefinedIfNodeFailed(() => settleOnce(forked, trade));
    const isComparable = settled?.now.scenario.block === now.scenario.block;
    return settled && { ...settled, usual: isComparable ? effects : undefined };
  };
  const sent = withoutRecipientOrOnePerShape(plans).map(settle);
  const settled = await new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(sent);
  return { items: settled.filter((item) => item !== undefined), skipped: [] };
}

function withoutRecipientOrOnePerShape(plans: readonly SettledPlan[]): readonly SettledPlan[] {
  const unmoved = plans.filter(({ now }) => now.scenario.before.length === 0);
  const chosen = unmoved.filter(({ request }) => request.recipient === undefined);
  const shapes = new Set(chosen.map(shapeOf));
  for (const plan of unmoved) {
    const shape = shapeOf(plan);
    if (!shapes.has(shape)) chosen.push(plan);
    shapes.add(shape);
  }
  return chosen;
}

/**
 * Returns the properties on which calldata may depend: the router, the kind of amount, the sides
 * with the native token, and whether the plan has several steps.
 */
function shapeOf({ request: { router, swapKind, sell, buy }, plan }: SettledPlan): string {
  return [router, swapKind, sell.native, buy.native, plan.steps.length > 1].join();
}

/** Settles a trade with ample funds. Returns undefined if the user cannot be funded. */
export async function settleOnce(
  { session }: ForkedMarket,
  trade: Trade,
): Promise<SettledOnce | undefined> {
  const scenario = await scenarioOf(session, trade);
  if (typeof scenario === 'string') return undefined;
  const settlement = await simulate(session.fork(), scenario);
  const holders = holdersOf(session, trade);
  const now = { scenario, settlement };
  return { ...trade, now, holders, effects: effectsOf(trade, holders, settlement) };
}
