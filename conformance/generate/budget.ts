/*
 * How the default run spends its requests: enough that a fault in one reply of
 * twenty shows with every seed, few enough for twenty seconds on two cores.
 */

/** What all probes send to a service of two chains, about. */
export const PROBE_REQUESTS = 6_000;

/**
 * Returns the part of a count for which there is time, and `least` of it at
 * least: where replies are slow, fewer trades are tried and every rule is still judged.
 */
export function within(
  count: number,
  { breadth = 1 }: { readonly breadth?: number },
  least = 3,
): number {
  return Math.max(Math.min(count, least), Math.round(count * breadth));
}

/** Requests that each probe of a broken parameter sends at least, by repeating its violations over trades. */
export const VIOLATION_REQUESTS = 96;

/** Trades, each in another form, over which each arguable violation is tried. */
export const ARGUABLE_TRADES = 4;

/** Trades, each in another form, over which each accepted value is tried. */
export const BOUND_TRADES = 8;

/** Trades over which each relation between replies is tried. */
export const RELATION_TRADES = 24;

/** Replies of each lookup and chain in the traffic: 0.95^120 is 0.2 %. */
export const LOOKUP_REQUESTS = 120;

/** Lookups in the traffic over all chains, where there are many; still, so many of each as a fault in one of ten needs. */
export const MANY_LOOKUPS = 2_400;
export const FEWEST_LOOKUPS = 20;

/** Plans asked for in the traffic, over all chains. */
export const TRAFFIC_SWAPS = 2_460;

/** Of those, the share asked for with calldata, so that its rules see as many replies. */
export const CALLDATA_SHARE = 0.3;
