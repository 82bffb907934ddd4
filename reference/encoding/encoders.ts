import type { Market, RouterDeployment } from '../market/market.ts';
import type { RoutingConstraints } from '../routing/plan.ts';
import type { RouterEncoder } from './encoder.ts';
import { graphRouter } from './graph-router.ts';
import { universalRouter } from './universal-router.ts';

/** Encoders by the name of their router; for a router without one, plans are made without calldata. */
export type RouterEncoders = Readonly<Partial<Record<RouterDeployment['name'], RouterEncoder>>>;

/** The routers that calldata can be made for: one line a router. */
export const ENCODERS: RouterEncoders = {
  'default-router': graphRouter,
  'service-router': graphRouter,
  'universal-router': universalRouter,
};

/** A router of a market, and how plans for it are made and encoded. */
export type ResolvedRouter = RouterDeployment & {
  readonly constraints: RoutingConstraints;
  readonly encode: RouterEncoder['encode'] | undefined;
};

/** Returns the market's routers with their encoders. Without one, nothing but its sources limits a plan. */
export function resolveRouters(
  { routers }: Market,
  encoders: RouterEncoders = ENCODERS,
): readonly ResolvedRouter[] {
  return routers.map((router) => {
    const { topology = 'graph', encode } = encoders[router.name] ?? {};
    return { ...router, constraints: { sources: new Set(router.sources), topology }, encode };
  });
}
