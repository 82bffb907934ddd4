import type { RouterDeployment } from '../market/market.ts';
import type { RoutingConstraints } from '../routing/plan.ts';
import type { EncoderTable } from './options.ts';

/** Returns what a plan for the router may look like: without an encoder nothing but its sources bounds it. */
export function constraintsOf(
  router: RouterDeployment,
  encoders: EncoderTable,
): RoutingConstraints {
  const { name, sources } = router;
  return encoders[name]?.constraints(router) ?? { sources: new Set(sources), topology: 'graph' };
}
