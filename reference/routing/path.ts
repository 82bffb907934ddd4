import type { Address } from '../domain/address.ts';
import {
  type Hop,
  hopsBetween,
  hopsByToken,
  MAX_HOPS,
  type PoolGraph,
  remember,
} from './pool-graph.ts';

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

/**
 * Returns the paths of at most four hops between two tokens, best marginal price
 * first; at most 500. With `ofOneFamily`, all pools of a path have one curve.
 */
export function pathsBetween(
  graph: PoolGraph,
  sellToken: Address,
  buyToken: Address,
  ofOneFamily: boolean,
): readonly Path[] {
  const kind = ofOneFamily ? 'one-family' : 'any';
  return remember(graph, `paths ${kind} ${sellToken} ${buyToken}`, () => {
    for (const horizon of HORIZONS) {
      const paths = pathsWithin(graph, sellToken, buyToken, ofOneFamily, horizon);
      if (paths.length >= MAX_PATHS || horizon === Number.POSITIVE_INFINITY) {
        return paths.sort((a, b) => b.logPrice - a.logPrice).slice(0, MAX_PATHS);
      }
    }
    return [];
  });
}

/** Returns the path of the best marginal price; `undefined` if the tokens are not connected. */
export function bestPathBetween(
  graph: PoolGraph,
  sellToken: Address,
  buyToken: Address,
): Path | undefined {
  return remember(graph, `best path ${sellToken} ${buyToken}`, () => {
    // Where the market holds arbitrage, even the best path may lie below the best values.
    const [best] = pathsWithin(graph, sellToken, buyToken, false, 1e-12);
    return best ?? pathsBetween(graph, sellToken, buyToken, false)[0];
  });
}

function pathsWithin(
  graph: PoolGraph,
  sellToken: Address,
  buyToken: Address,
  ofOneFamily: boolean,
  horizon: number,
): Path[] {
  const hops = hopsBetween(graph, sellToken, buyToken);
  const values = bestLogValues(hops, buyToken);
  const least = (values.get(sellToken) ?? 0) - horizon;
  return walkHops(hops, sellToken, buyToken, ofOneFamily, (token, logPrice) => {
    return logPrice + (values.get(token) ?? 0) >= least;
  });
}

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

/** Walks every path of which `isWorth` holds at each token, for the price up to there. */
function walkHops(
  hops: readonly Hop[],
  sellToken: Address,
  buyToken: Address,
  ofOneFamily: boolean,
  isWorth: (token: Address, logPrice: number) => boolean,
): Path[] {
  const from = hopsByToken(hops);
  const paths: Path[] = [];
  const walk: Hop[] = [];
  const visit = (token: Address, logPrice: number): void => {
    for (const hop of from.get(token) ?? []) {
      if (paths.length >= MAX_WALKED) return;
      const price = logPrice + hop.logPrice;
      if (!isWorth(hop.tokenOut, price)) continue;
      if (ofOneFamily && walk[0] && walk[0].pool.family !== hop.pool.family) continue;
      if (walk.some((before) => before.tokenIn === hop.tokenOut)) continue;
      walk.push(hop);
      if (hop.tokenOut === buyToken) paths.push({ hops: [...walk], logPrice: price });
      else if (walk.length < MAX_HOPS) visit(hop.tokenOut, price);
      walk.pop();
    }
  };
  visit(sellToken, 0);
  return paths;
}
