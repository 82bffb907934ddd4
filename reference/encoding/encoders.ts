import type { RouterDeployment } from '../market/market.ts';
import type { RouterCapability } from '../routing/plan.ts';
import { encodeDefaultRouter } from './default-router.ts';
import type { Encoder } from './encoder.ts';
import { encodeServiceRouter } from './service-router.ts';
import { encodeUniversalRouter } from './universal-router.ts';

/** How one router is planned and encoded for. */
export type RouterEncoding = {
  readonly encode: Encoder;
  /** What a plan for the router may look like. */
  readonly capability: (router: RouterDeployment) => RouterCapability;
};

/** The routers that calldata can be made for, by name: one line a router. */
export const ENCODERS: Readonly<Partial<Record<RouterDeployment['name'], RouterEncoding>>> = {
  'default-router': { encode: encodeDefaultRouter, capability: capabilityOf('graph') },
  'service-router': { encode: encodeServiceRouter, capability: capabilityOf('graph') },
  'universal-router': { encode: encodeUniversalRouter, capability: capabilityOf('paths') },
};

function capabilityOf(shape: RouterCapability['shape']): RouterEncoding['capability'] {
  return ({ sources }) => ({ sources: new Set(sources), shape });
}
