import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RouterEncoders } from '../encoding/encoders.ts';
import type { Maker } from '../makers/maker.ts';
import type { Market, MarketChange } from '../market/market.ts';
import type { NoRoute, RoutingPlan, RoutingRequest } from '../planner/graph/plan.ts';
import type { KeyRing } from './key-ring.ts';
import type { Page } from './page.ts';
import type { PlanningLimits } from './planning-queue.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** Returns the plan that is asked for, or why there is none. */
export type Planner = (market: Market, request: RoutingRequest) => RoutingPlan | NoRoute;

/** How the reference serves; everything may be left out. */
export type ReferenceOptions = {
  /** The chains to serve; default the embedded markets. */
  readonly markets?: readonly Market[];
  /** Called once with what takes each change of a market while it is served; default: none changes. */
  readonly follow?: (onChange: (change: MarketChange) => void) => void;
  /** The keys that are let in; default `['demo']`. */
  readonly apiKeys?: readonly string[];
  /** Takes the place of `apiKeys`: keys that may change, or have limits. */
  readonly keyRing?: KeyRing;
  /** Receives one line a request, without keys; default none. */
  readonly logger?: Logger;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Default: {@link createPlanner}. */
  readonly planner?: Planner;
  /** Default `ENCODERS`. */
  readonly encoders?: RouterEncoders;
  /** How many plans of a chain are kept for requests that repeat, 0 for none; default 4096. */
  readonly planCacheSize?: number;
  /** Who is asked for orders where `useRfq` is true; default the test maker of the fixture chains. */
  readonly makers?: readonly Maker[];
  /** When planning is refused for load; default 256 waiting, 500 ms. */
  readonly planningLimits?: PlanningLimits;
  /** What figures of the service are kept in; default none are. */
  readonly metrics?: ServiceMetrics;
  /** What stands at `/` for people; default nothing, a 404. */
  readonly page?: Page;
  /** Koa middleware around every operation, outermost first; a body is JSON text or its bytes. */
  readonly middleware?: readonly Middleware[];
};
