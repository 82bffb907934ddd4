import type { Address } from '../domain/address.ts';
import { type Hop, hopsBetween, MAX_HOPS, type PoolGraph, remember } from './pool-graph.ts';

/** A way from the sell token to the buy token, through each token and each pool once. */
export type Path = {
  readonly hops: readonly Hop[];
  /** Natural logarithm of output per input of an infinitesimal trade. */
  readonly logPrice: number;
};

/** How many paths of one pair are kept: the best by marginal price. */
const MAX_PATHS = 1000;

/** Bounds the walk where parallel pools multiply: the best pools of each pair of tokens come first. */
const MAX_WALKED = 20_000;

/**
 * Returns the paths of at most four hops between two tokens, best marginal price
 * first; at most 1000. With `ofOneFamily`, all pools of a path have one curve.
 */
export function pathsBetween(
  graph: PoolGraph,
  sellToken: Address,
  buyToken: Address,
  ofOneFamily: boolean,
): readonly Path[] {
  const kind = ofOneFamily ? 'one-family' : 'any';
  return remember(graph, `paths ${kind} ${sellToken} ${buyToken}`, () => {
    const paths = enumerate(graph, sellToken, buyToken);
    return (ofOneFamily ? paths.filter(isOfOneFamily) : paths)
      .sort((a, b) => b.logPrice - a.logPrice)
      .slice(0, MAX_PATHS);
  });
}

function isOfOneFamily({ hops }: Path): boolean {
  return hops.every(({ pool }) => pool.family === hops[0]?.pool.family);
}

function enumerate(graph: PoolGraph, sellToken: Address, buyToken: Address): Path[] {
  const hops = hopsBetween(graph, sellToken, buyToken).sort((a, b) => b.logPrice - a.logPrice);
  const paths: Path[] = [];
  const walk: Hop[] = [];
  const visit = (token: Address, logPrice: number): void => {
    for (const hop of hops) {
      if (hop.tokenIn !== token) continue;
      if (paths.length >= MAX_WALKED) return;
      if (walk.some((before) => before.tokenIn === hop.tokenOut)) continue;
      walk.push(hop);
      const price = logPrice + hop.logPrice;
      if (hop.tokenOut === buyToken) paths.push({ hops: [...walk], logPrice: price });
      else if (walk.length < MAX_HOPS) visit(hop.tokenOut, price);
      walk.pop();
    }
  };
  visit(sellToken, 0);
  return paths;
}
