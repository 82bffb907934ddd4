import type { Address } from '../domain/address.ts';
import { at } from '../domain/at.ts';
import type { Arc, TokenNumbers } from './arc.ts';

/** Pairs of tokens that share a pool, whatever the pool's state. */
export type Topology = {
  readonly numbers: TokenNumbers;
  /**
   * In order of degree, fewest neighbors first, because the solver eliminates them in this order: in
   * order of address, plans among 100 tokens take up to 2.4 times as long. Tokens of the same degree
   * are in order of address, so that the order does not depend on the order of the pools.
   */
  readonly tokens: readonly Address[];
  /** Index in `tokens`, keyed by token number; -1 for tokens outside the topology. */
  readonly placeOf: Int32Array;
  /** For each token, the indices of the tokens with which it shares a pool. */
  readonly neighbors: readonly ReadonlySet<number>[];
};

export function topologyOf(arcs: readonly Arc[], numbers: TokenNumbers): Topology {
  const found = [...new Set(arcs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))].sort();
  const places = placesOf(found, numbers);
  const degrees = neighborsOf(places, arcs).map(({ size }) => size);
  const degreeOf = (token: Address) => degrees[at(places, numbers.numberOf(token))] ?? 0;
  const tokens = found.sort((a, b) => degreeOf(a) - degreeOf(b));
  const placeOf = placesOf(tokens, numbers);
  return { numbers, tokens, placeOf, neighbors: neighborsOf(placeOf, arcs) };
}

/** Returns the index of each token, keyed by token number; -1 for other tokens. */
export function placesOf(tokens: readonly Address[], numbers: TokenNumbers): Int32Array {
  const placeOf = numbers.array(-1);
  for (const [place, token] of tokens.entries()) placeOf[numbers.numberOf(token)] = place;
  return placeOf;
}

function neighborsOf(placeOf: Int32Array, arcs: readonly Arc[]): Set<number>[] {
  const neighbors: Set<number>[] = [];
  for (const { tail, head } of arcs) {
    const [from, to] = [at(placeOf, tail), at(placeOf, head)];
    neighbors[from] = (neighbors[from] ?? new Set()).add(to);
    neighbors[to] = (neighbors[to] ?? new Set()).add(from);
  }
  return neighbors;
}

/**
 * Returns an array indexed by token number: 1 if the token lies on a simple path from the sell
 * token to the buy token. These tokens form the biconnected component that would contain an edge
 * between the two.
 *
 * @see https://en.wikipedia.org/wiki/Biconnected_component
 */
export function tokensBetween(
  { numbers, tokens, placeOf, neighbors }: Topology,
  sellToken: Address,
  buyToken: Address,
): Int32Array {
  const isBetween = numbers.array(0);
  const placeFor = (token: Address) => placeOf[numbers.numberOf(token)] ?? -1;
  const [sell, buy] = [placeFor(sellToken), placeFor(buyToken)];
  if (sell < 0 || buy < 0) return isBetween;
  const visited = new Map([[sell, 0]]);
  const component: number[] = [];
  /**
   * Visits a token and its descendants. Returns the earliest token that is adjacent to any visited
   * token.
   */
  const visit = (token: number): number => {
    const own = visited.size;
    visited.set(token, own);
    component.push(token);
    let earliest = own;
    for (const next of neighbors[token] ?? []) {
      const known = visited.get(next);
      if (known !== undefined) {
        earliest = Math.min(earliest, known);
        continue;
      }
      const place = component.length;
      const touched = visit(next);
      if (touched >= own) component.length = place;
      earliest = Math.min(earliest, touched);
    }
    return earliest;
  };
  visit(buy);
  for (const place of [sell, ...component]) {
    isBetween[numbers.numberOf(tokens[place] as Address)] = 1;
  }
  return isBetween;
}
