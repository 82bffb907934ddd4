import type { RouterName } from '../../conformance/contract/resources.ts';

/** The router names in sections 2.9 and 4.1 of the specification. */
export const ROUTER_NAMES = [
  'service-router',
  'universal-router',
  'default-router',
] as const satisfies readonly RouterName[];
