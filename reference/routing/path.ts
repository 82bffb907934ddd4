import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import type { Hop } from './hop.ts';
import { hopsByToken, type Pair } from './pool-graph.ts';

/** The longest path, in pools. */
const MAX_HOPS = 4;

/** A way from the sell token to the buy token, through each token and each pool once. */
export type Path = {
  readonly hops: readonly Hop[];
  /** Natural logarithm of output per input of an infinitesimal trade. */
  readonly logPrice: number;
};

/** How many paths of one pair are kept: the best by marginal price. */
const MAX_PATHS = 500;

/** How far below the best path others may lie, in logarithms of price; one after another until enough are found. */
const HORIZONS = [0.02, 0.2, 2, Number.POSITIVE_INFINITY];

/** Bounds the walk within one horizon. */
const MAX_WALKED = 5000;

const anyPaths = keptWith((pair: Pair) => bestPaths(pair, false));
const oneFamilyPaths = keptWith((pair: Pair) => bestPaths(pair, true));

/** Returns the paths of at most four hops of a pair, best marginal price first; at most 500. If asked, those of which all pools have one curve. */
export function pathsOf(pair: Pair, isOneFamily = false): readonly Path[] {
  return (isOneFamily ? oneFamilyPaths : anyPaths)(pair);
}

/** Tells whether there are no more paths between these tokens than {@link pathsOf} returns. */
export function hasAllPaths(pair: Pair, isOneFamily: boolean): boolean {
  const tokens = new Set(pair.hops.map(({ tokenIn }) => tokenIn));
  return tokens.size <= MAX_HOPS && pathsOf(pair, isOneFamily).length < MAX_PATHS;
}

function bestPaths(pair: Pair, ofOneFamily: boolean): readonly Path[] {
  let paths: Path[] = [];
  for (const horizon of HORIZONS) {
    paths = pathsWithin(pair, ofOneFamily, horizon);
    if (paths.length >= MAX_PATHS) break;
  }
  return paths.sort((a, b) => b.logPrice - a.logPrice).slice(0, MAX_PATHS);
}

/** Returns the hops as a path; `undefined` if there are none. */
export function pathOfHops(hops: readonly Hop[] | undefined): Path | undefined {
  if (hops === undefined || hops.length === 0) return undefined;
  return { hops, logPrice: hops.reduce((sum, { logPrice }) => sum + logPrice, 0) };
}

/**
 * Returns the natural logarithm of what one base unit of each token buys along
 * its best way of at most four of the hops, at present prices.
 */
function bestLogValues(hops: readonly Hop[], buyToken: Address): Map<Address, number> {
  const values = new Map([[buyToken, 0]]);
  for (let round = 0; round < MAX_HOPS; round++) {
    const before = new Map(values);
    for (const hop of hops) {
      const after = before.get(hop.tokenOut);
      if (after === undefined) continue;
      const known = values.get(hop.tokenIn) ?? Number.NEGATIVE_INFINITY;
      if (hop.logPrice + after > known) values.set(hop.tokenIn, hop.logPrice + after);
    }
  }
  return values;
}

/** Walks every path whose price is at each token within `horizon` of the best that the pair has. */
function pathsWithin(
  { hops, sellToken, buyToken }: Pair,
  ofOneFamily: boolean,
  horizon: number,
): Path[] {
  const values = bestLogValues(hops, buyToken);
  const least = (values.get(sellToken) ?? 0) - horizon;
  const from = hopsByToken(hops);
  const paths: Path[] = [];
  const walk: Hop[] = [];
  const visit = (token: Address, logPrice: number): void => {
    for (const hop of from.get(token) ?? []) {
      if (paths.length >= MAX_WALKED) return;
      const price = logPrice + hop.logPrice;
      if (price + (values.get(hop.tokenOut) ?? 0) < least) continue;
      if (ofOneFamily && walk[0] && walk[0].pool.family !== hop.pool.family) continue;
      if (walk.some(({ pool, tokenIn }) => tokenIn === hop.tokenOut || pool === hop.pool)) continue;
      walk.push(hop);
      if (hop.tokenOut === buyToken) paths.push({ hops: [...walk], logPrice: price });
      else if (walk.length < MAX_HOPS) visit(hop.tokenOut, price);
      walk.pop();
    }
  };
  visit(sellToken, 0);
  return paths;
}
