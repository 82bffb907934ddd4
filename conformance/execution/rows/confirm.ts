import {
  type Evidence,
  type EvidenceKind,
  effectsOf,
  type PooledPlan,
  type PriceMove,
  type Settled,
  type SettledOnce,
  type SettledPlan,
} from '../../model/settlement.ts';
import type { ForkSession } from '../fork/fork-session.ts';
import { poolTradeIn, poolYieldsIn } from '../fork/pool-scenario.ts';
import { simulateWithCalls } from '../settle/trace-call.ts';
import { describeSettled } from './settle-trade.ts';

/**
 * Settles an item again, and returns the item with the new results.
 * Returns undefined if the block of the item cannot be forked again. An item without a settlement
 * is returned unchanged.
 */
export async function confirmItem(
  session: ForkSession,
  item: Evidence[EvidenceKind],
): Promise<Evidence[EvidenceKind] | undefined> {
  if (item.now === undefined) return item;
  if (!(await returnTo(session, item.now))) return undefined;
  if ('later' in item) return confirmPlan(session, item);
  const now = await settleAgain(session, item.now);
  return 'pools' in item ? confirmPools(session, item, now) : withSettlement(item, now);
}

/** Returns the item with the given settlement. */
export function withSettlement<Item extends SettledOnce | PriceMove>(
  item: Item,
  now: Settled,
): Item {
  const { user, recipient: receiver = user } = item.request;
  return { ...item, now, effects: effectsOf(item, { user, receiver }, now.settlement) };
}

/** Forks the block of a settlement again. Returns false if the node no longer has the block. */
export async function returnTo(session: ForkSession, { scenario }: Settled): Promise<boolean> {
  await session.refresh(scenario.block);
  return session.fork().block.number === scenario.block;
}

async function confirmPlan(session: ForkSession, item: SettledPlan): Promise<SettledPlan> {
  const now = await settleAgain(session, item.now);
  const again = (settled: Settled) =>
    settled.scenario === item.now.scenario ? now : settleAgain(session, settled);
  const limited = item.limited && (await again(item.limited));
  const later = await again(item.later);
  const { funds, unmoved, failedBefore, alternativeYield, poolsGive } = item;
  const settled = { now, limited, later, funds, unmoved, failedBefore };
  const confirmed = await describeSettled(session, item, settled);
  return { ...confirmed, alternativeYield, poolsGive };
}

function confirmPools(
  session: ForkSession,
  item: PooledPlan,
  now: Settled,
): PooledPlan | undefined {
  const trade = poolTradeIn(session, item);
  const pools = typeof trade === 'string' ? item.pools : poolYieldsIn(now, trade);
  const isKnown = pools.kind !== 'unknown' || item.pools.kind === 'unknown';
  return isKnown ? { ...item, now, pools } : undefined;
}

async function settleAgain({ fork }: ForkSession, { scenario }: Settled): Promise<Settled> {
  return { scenario, settlement: await simulateWithCalls(fork(), scenario) };
}
