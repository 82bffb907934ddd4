import type { Market } from '../market/market.ts';
import { createPlanner } from '../planner/planner.ts';
import type { PlannedTask, PlanningTask } from './planning-thread.ts';

const plan = createPlanner();
const markets = new Map<number, Market>();

// biome-ignore lint/style/noDefaultExport: the library of the thread calls the default export
export default function planTask(task: PlanningTask | undefined): PlannedTask | undefined {
  if (task === undefined) return undefined;
  const { chainId, market, orders, request } = task;
  if (market !== undefined) markets.set(chainId, market);
  const known = markets.get(chainId);
  if (known === undefined)
    throw new Error(`The planning thread has no market for chain ${chainId}`);
  const pools = [...known.pools, ...orders];
  const planned = plan(orders.length === 0 ? known : { ...known, pools }, request);
  if (planned.kind === 'no-route') return planned;
  const { proof: _proof, gas: _gas, ...rest } = planned;
  const swaps = rest.swaps.map(({ pool, ...swap }) => ({ ...swap, poolAt: pools.indexOf(pool) }));
  return { ...rest, swaps };
}
