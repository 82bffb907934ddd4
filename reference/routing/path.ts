import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { type Hop, hopsByToken, MAX_HOPS, type Pair } from './pool-graph.ts';

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

/** Returns the paths of at most four hops of a pair, best marginal price first; at most 500. */
export const pathsOf = keptWith((pair: Pair) => bestPaths(pair, false));

/** Returns those of which all pools have one curve. */
export const oneFamilyPathsOf = keptWith((pair: Pair) => bestPaths(pair, true));

function bestPaths(pair: Pair, ofOneFamily: boolean): readonly Path[] {
  let paths: Path[] = [];
  for (const horizon of HORIZONS) {
    paths = pathsWithin(pair, ofOneFamily, horizon);
    if (paths.length >= MAX_PATHS) break;
  }
  return paths.sort((a, b) => b.logPrice - a.logPrice).slice(0, MAX_PATHS);
}

/** Returns the path of the best marginal price; `undefined` if the tokens are not connected. */
export const bestPathOf = keptWith((pair: Pair): Path | undefined => {
  // Where the market holds arbitrage, even the best path may lie below the best values.
  const [best] = pathsWithin(pair, false, 1e-12);
  return best ?? pathsOf(pair)[0];
});

/**
 * Returns the natural logarithm of what one base unit of each token buys along
 * its best way of at most four of the hops, at present prices.
 */
export function bestLogValues(hops: readonly Hop[], buyToken: Address): Map<Address, number> {
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
