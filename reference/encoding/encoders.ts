import type { Market, RouterDeployment } from '../market/market.ts';
import type { RoutingConstraints } from '../planner/graph/plan.ts';
import { MAKER_SOURCE } from '../planner/pools/maker-order.ts';
import type { RouterEncoder } from './encoder.ts';
import { graphRouter } from './graph-router.ts';
import { universalRouter } from './universal-router.ts';

/** Encoders by router name. Plans for a router without an encoder have no calldata. */
export type RouterEncoders = Readonly<Partial<Record<RouterDeployment['name'], RouterEncoder>>>;

/** Encoder of each router that has one. */
export const ENCODERS: RouterEncoders = {
  'default-router': graphRouter,
  'service-router': graphRouter,
  'universal-router': universalRouter,
};

/** A router of a market, with its encoder and the limits on its plans. */
export type ResolvedRouter = RouterDeployment & {
  readonly constraints: RoutingConstraints;
  /** Limits on plans with market makers' orders; undefined if the router cannot settle orders. */
  readonly withMakers: RoutingConstraints | undefined;
  readonly encode: RouterEncoder['encode'] | undefined;
};

const UNENCODED: Omit<RouterEncoder, 'encode'> & { readonly encode?: undefined } = {
  topology: 'graph',
  settles: () => true,
};

/**
 * Returns the market's routers with their encoders. A router can use a source if its encoder
 * settles all pools of that source. If a router has no encoder, only its list of sources limits a
 * plan.
 */
export function resolveRouters(
  { routers, pools }: Market,
  encoders: RouterEncoders = ENCODERS,
): readonly ResolvedRouter[] {
  return routers.map((router) => {
    const { encode, settles, ...limits } = encoders[router.name] ?? UNENCODED;
    const sources = new Set(router.sources);
    for (const { source, family } of pools) if (!settles(family)) sources.delete(source);
    const constraints = { sources, ...limits };
    const withMakers = settles('maker-order')
      ? { sources: new Set([...sources, MAKER_SOURCE]), ...limits }
      : undefined;
    return { ...router, constraints, withMakers, encode };
  });
}
