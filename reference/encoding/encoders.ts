import type { RouterDeployment } from '../market/market.ts';
import type { RoutingConstraints } from '../routing/plan.ts';
import { encodeDefaultRouter } from './default-router.ts';
import type { Encoder } from './encoder.ts';
import { encodeServiceRouter } from './service-router.ts';
import { encodeUniversalRouter } from './universal-router.ts';

/** How one router is planned and encoded for. */
export type RouterEncoding = {
  readonly encode: Encoder;
  /** What a plan for the router may look like. */
  readonly constraints: (router: RouterDeployment) => RoutingConstraints;
};

/** The routers that calldata can be made for, by name: one line a router. */
export const ENCODERS: Readonly<Partial<Record<RouterDeployment['name'], RouterEncoding>>> = {
  'default-router': { encode: encodeDefaultRouter, constraints: constraintsOf('graph') },
  'service-router': { encode: encodeServiceRouter, constraints: constraintsOf('graph') },
  'universal-router': { encode: encodeUniversalRouter, constraints: constraintsOf('paths') },
};

function constraintsOf(topology: RoutingConstraints['topology']): RouterEncoding['constraints'] {
  return ({ sources }) => ({ sources: new Set(sources), topology });
}
