import { extname } from 'node:path';
import { Tinypool } from 'tinypool';
import type { Market } from '../market/market.ts';
import type { NoRoute, RoutingPlan, RoutingRequest } from '../planner/graph/plan.ts';
import type { Pool } from '../planner/pools/families.ts';
import { MAKER_SOURCE } from '../planner/pools/maker-order.ts';
import { MAX_RUNNING, type PlanTrade } from './swap.ts';

/**
 * A task for the planning thread. The thread caches the last market of each chain, because copying
 * a market takes longer than planning a trade.
 */
export type PlanningTask = {
  readonly chainId: number;
  /** The market without orders. Set if the last task of its chain had another market. */
  readonly market?: Market;
  /** Pools that only this trade may use: orders of market makers. */
  readonly orders: readonly Pool[];
  readonly request: RoutingRequest;
};

/** A plan whose swaps refer to pools by index: the market's pools first, then the orders. */
export type PlannedTask =
  | NoRoute
  | (Omit<RoutingPlan, 'swaps'> & {
      readonly swaps: readonly (Omit<RoutingPlan['swaps'][number], 'pool'> & {
        readonly poolAt: number;
      })[];
    });

/** A planner in a separate thread. */
export type PlanningThread = {
  readonly planner: PlanTrade;
  /** Ends the thread. */
  readonly close: () => Promise<void>;
};

/** Starts a planner in a separate thread, so that a slow plan delays no other request. */
export function startPlanningThread(): PlanningThread {
  // The entry file is next to this file: TypeScript in a checkout, JavaScript in a build.
  const extension = extname(import.meta.url);
  const pool = new Tinypool({
    filename: new URL(`./planning-thread-entry${extension}`, import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: MAX_RUNNING,
    // Threads of Node 20 cannot load TypeScript.
    ...(extension === '.ts' && {
      runtime: 'child_process',
      serialization: 'advanced',
      execArgv: ['--import', 'tsx'],
    }),
  });
  // While the thread loads its module, a later task may overtake an earlier task.
  const ready = pool.run(undefined);
  ready.catch(() => {}); // the plans that wait for it report why
  const lastBlocks = new Map<number, Market['block']>();
  return {
    planner: async (market, request) => {
      await ready;
      const { chainId, block } = market;
      // The thread keeps the market for later trades, so it must not contain this trade's orders.
      const own = market.pools.filter(({ source }) => source !== MAKER_SOURCE);
      const orders = market.pools.filter(({ source }) => source === MAKER_SOURCE);
      const isKnown = lastBlocks.get(chainId) === block;
      lastBlocks.set(chainId, block);
      const task: PlanningTask = {
        ...(isKnown ? { chainId } : { chainId, market: { ...market, pools: own } }),
        orders,
        request,
      };
      const planned: PlannedTask = await pool.run(task);
      if (planned.kind === 'no-route') return planned;
      const pools = [...own, ...orders];
      const swaps = planned.swaps.map(({ poolAt, ...swap }) => ({
        ...swap,
        pool: pools[poolAt] as Pool,
      }));
      return { ...planned, swaps };
    },
    close: () => pool.destroy(),
  };
}
