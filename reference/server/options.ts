import type { Middleware } from 'koa';
import type { RouterEncoders } from '../encoding/encoders.ts';
import type { Maker } from '../makers/maker.ts';
import type { Market, MarketChange } from '../market/market.ts';
import type { NoRoute, RoutingPlan, RoutingRequest } from '../planner/graph/plan.ts';

/** Returns the requested plan, or the reason why there is none. May plan in another thread. */
export type PlanTrade = (
  market: Market,
  request: RoutingRequest,
) => RoutingPlan | NoRoute | Promise<RoutingPlan | NoRoute>;

/** A file that is served in addition to the operations. */
export type ServedFile = { readonly type: string; readonly body: string | Buffer };

/** Key that the reference accepts unless other keys are given. */
export const DEMO_API_KEY = 'demo';

/** Options of the reference. All are optional. */
export type ReferenceOptions = {
  /** Chains to serve. Default: the embedded markets. */
  readonly markets?: readonly Market[];
  /** Called once, with a listener for changes to the markets. Default: the markets never change. */
  readonly follow?: (onChange: (change: MarketChange) => void) => void;
  /** Accepted keys. Default: `['demo']`. */
  readonly apiKeys?: readonly string[];
  /** Receives one line for each failure and lost market. Default: lines are discarded. */
  readonly report?: (line: string) => void;
  /** Returns milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Default: {@link createPlanner}, which plans in this thread. */
  readonly planner?: PlanTrade;
  /** Default: `ENCODERS`. */
  readonly encoders?: RouterEncoders;
  /** Maximum number of cached plans per chain; 0 for none. Default: 4096. */
  readonly planCacheSize?: number;
  /**
   * Makers to ask for orders if `useRfq` is true. Default: the test maker of the fixture chains.
   */
  readonly makers?: readonly Maker[];
  /**
   * Maximum number of trades that wait to be planned. Further trades are rejected. Default: 1024.
   */
  readonly maxQueued?: number;
  /** Files keyed by path, such as a page at `/`. Default: none. */
  readonly files?: ReadonlyMap<string, ServedFile>;
  /**
   * Koa middleware around every operation, outermost first. In this middleware, `ctx.body` is a
   * value, not yet JSON text.
   */
  readonly middleware?: readonly Middleware[];
};
