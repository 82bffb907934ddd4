import type {
  Evidence,
  EvidenceKind,
  PooledPlan,
  PriceMove,
  Settled,
  SettledOnce,
  SettledPlan,
} from '../../model/settlement.ts';
import type { Fork } from '../fork/fork.ts';
import { poolTradeIn, poolYieldsIn } from '../fork/pool-scenario.ts';
import { isImpossible } from '../settle/impossible.ts';
import { simulateWithCalls } from '../settle/trace-call.ts';
import { fairEffects } from './fair-effects.ts';
import { describeSettled } from './settle-trade.ts';

/**
 * Settles an item again, and returns the item with the new results.
 * Returns undefined if the block of the item cannot be forked again. An item without a settlement
 * is returned unchanged.
 */
export async function confirmItem(
  fork: Fork,
  item: Evidence[EvidenceKind],
): Promise<Evidence[EvidenceKind] | undefined> {
  if (item.now === undefined) return item;
  if (!(await returnTo(fork, item.now))) return undefined;
  if ('later' in item) return confirmPlan(fork, item);
  const now = await settleAgain(fork, item.now);
  return 'pools' in item ? confirmPools(fork, item, now) : withSettlement(fork, item, now);
}

/** Returns the item with the given settlement. */
export async function withSettlement<Item extends SettledOnce | PriceMove>(
  fork: Fork,
  item: Item,
  now: Settled,
): Promise<Item> {
  return { ...item, now, effects: await fairEffects(fork, item, now, false) };
}

/** Forks the block of a settlement again. Returns false if the node no longer has the block. */
export async function returnTo(fork: Fork, { scenario }: Settled): Promise<boolean> {
  await fork.refresh(scenario.block);
  return fork.block.number === scenario.block;
}

async function confirmPlan(fork: Fork, item: SettledPlan): Promise<SettledPlan> {
  const now = await settleAgain(fork, item.now);
  const again = (settled: Settled) =>
    settled.scenario === item.now.scenario ? now : settleAgain(fork, settled);
  const atGasLimit = item.atGasLimit && (await again(item.atGasLimit));
  const later = await again(item.later);
  const { funds, frozen, failedBefore, alternativeYield, poolsGive } = item;
  const settled = { now, atGasLimit, later, funds, frozen, failedBefore };
  const confirmed = await describeSettled(fork, item, settled);
  return { ...confirmed, alternativeYield, poolsGive };
}

function confirmPools(fork: Fork, item: PooledPlan, now: Settled): PooledPlan | undefined {
  const trade = poolTradeIn(fork, item);
  const pools = isImpossible(trade) ? item.pools : poolYieldsIn(now, trade);
  const isKnown = pools.kind !== 'unknown' || item.pools.kind === 'unknown';
  return isKnown ? { ...item, now, pools } : undefined;
}

async function settleAgain(fork: Fork, { scenario }: Settled): Promise<Settled> {
  return { scenario, settlement: await simulateWithCalls(fork, scenario) };
}
