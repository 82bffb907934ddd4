import { type DiscoveryBreadth, FEW_PAIRS, MANY_PAIRS } from '../discovery/discover-market.ts';

/** Name of a profile, which limits the requests of a run. */
export type ProfileName = keyof typeof PROFILES;

/** Profile of a run for which none is named. */
export const DEFAULT_PROFILE: ProfileName = 'standard';

export type Profile = {
  /** Share of the usual number of trades that each probe tries; 0 means one trade. */
  readonly breadth: number;
  /** Number of plans that the traffic requests, over all chains. */
  readonly trafficSwaps: number;
  /** Number of requests in the traffic for each lookup on each chain. */
  readonly lookups: number;
  /** Number of plans executed for each kind of evidence, over all forked chains. */
  readonly settledPlans: number;
  /** Number of tokens and pairs that discovery tries. */
  readonly discovery: DiscoveryBreadth;
};

/**
 * Number of requests in a run, by profile. `quick` tries each rule once. If one of twenty plans has
 * a fault, `standard` almost always finds it (0.95^120 is 0.2%), for any router and kind of trade.
 * If one of twenty lookups has a fault, `standard` finds it in 99 of 100 runs (0.95^96 is 0.7%).
 * `thorough` finds rarer faults.
 */
export const PROFILES = {
  quick: { breadth: 0, trafficSwaps: 40, lookups: 2, settledPlans: 8, discovery: FEW_PAIRS },
  standard: {
    ...{ breadth: 1, trafficSwaps: 1_200, lookups: 96, settledPlans: 216 },
    discovery: MANY_PAIRS,
  },
  thorough: {
    ...{ breadth: 3, trafficSwaps: 7_380, lookups: 360, settledPlans: 648 },
    discovery: MANY_PAIRS,
  },
} as const satisfies Readonly<Record<string, Profile>>;

/**
 * Approximate number of requests that all probes send to a service with two chains, at breadth 1.
 */
export const PROBE_REQUESTS = 3_600;

/** Approximate number of requests of the quick profile. */
export const QUICK_REQUESTS = 300;

/**
 * Scales a number of trades by the session's breadth, but not below the minimum. If replies are
 * slow, a run tries fewer trades, but still judges every rule.
 */
export function within(
  count: number,
  { breadth = 1 }: { readonly breadth?: number },
  minimum = 3,
): number {
  return Math.max(Math.min(count, breadth === 0 ? 1 : minimum), Math.round(count * breadth));
}

/** Returns all items, or only the first in a run that tries each rule once. */
export function firstIfQuick<T>(
  items: readonly T[],
  { breadth }: { readonly breadth?: number },
): readonly T[] {
  return breadth === 0 ? items.slice(0, 1) : items;
}

/**
 * Minimum number of requests in which a probe breaks a parameter. The probe repeats its violations
 * with several trades.
 */
export const VIOLATION_REQUESTS = 96;

/**
 * Number of trades, each in a different form, on which a probe tries each violation of level
 * `should`.
 */
export const ARGUABLE_TRADES = 4;

/** Number of trades, each in a different form, on which a probe tries each valid value. */
export const BOUND_TRADES = 8;

/** Number of trades on which a probe tries each relation between replies. */
export const RELATION_TRADES = 12;

/** Number of trades with which probes test whether each kind of trade returns plans. */
export const KIND_TRADES = 24;

/**
 * Number of pairs, over all chains, that are requested in addition to the pairs that discovery
 * tried.
 */
export const UNTRIED_PAIRS = 120;

/**
 * Maximum number of lookups in the traffic, over all chains. The maximum is exceeded if any lookup
 * would otherwise be sent fewer than `MIN_LOOKUPS` times.
 */
export const MAX_LOOKUPS = 2_400;
export const MIN_LOOKUPS = 20;

/** Share of the traffic's plans that are requested with calldata. */
export const CALLDATA_SHARE = 0.3;
