import type { RouterDeployment } from '../market/market.ts';
import type { RouterCapability } from '../routing/plan.ts';
import type { EncoderTable } from './options.ts';

/** Returns what a plan for the router may look like: without an encoder nothing but its sources bounds it. */
export function capabilityOf(router: RouterDeployment, encoders: EncoderTable): RouterCapability {
  const { name, sources } = router;
  return encoders[name]?.capability(router) ?? { sources: new Set(sources), shape: 'graph' };
}
