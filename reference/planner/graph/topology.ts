import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { createRecentCache } from '../domain/recent-cache.ts';
import { type Elimination, eliminationOf } from './elimination.ts';
import { byToken, type Hop, numberOfToken } from './hop.ts';

/** Which tokens share a pool, and what follows from that alone, so that it stays while pools change. */
export type Topology = {
  /** The tokens in the order in which the solver eliminates them. */
  readonly tokens: readonly Address[];
  /** By the number of a token, its place among them; -1 for others. */
  readonly placeOf: Int32Array;
  readonly elimination: Elimination;
  /** For each token, the places of those that share a pool with it. */
  readonly neighbours: readonly ReadonlySet<number>[];
};

/** For how many pairs of tokens something is kept. */
export const MAX_PAIRS = 1024;

/** Returns whether hops join the tokens of a topology that share a pool there, all of them and no others. */
export function fits({ tokens, placeOf, neighbours }: Topology, hops: readonly Hop[]): boolean {
  const joined = new Uint8Array(tokens.length * tokens.length);
  let links = 0;
  for (const { tail, head } of hops) {
    const [from, to] = [placeOf[tail] ?? -1, placeOf[head] ?? -1];
    if (!neighbours[from]?.has(to)) return false;
    const link = Math.min(from, to) * tokens.length + Math.max(from, to);
    links += 1 - (joined[link] ?? 0);
    joined[link] = 1;
  }
  return links === neighbours.reduce((sum, { size }) => sum + size, 0) / 2;
}

export function topologyOf(hops: readonly Hop[]): Topology {
  // Sorted, so that it tells nothing of the pools, nor of their order.
  const found = [...new Set(hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))].sort();
  const elimination = eliminationOf(neighboursOf(placesOf(found), hops));
  const tokens = elimination.order.map((place) => found[place] as Address);
  const placeOf = placesOf(tokens);
  return { tokens, placeOf, elimination, neighbours: neighboursOf(placeOf, hops) };
}

/** Returns by the number of a token its place among the tokens; -1 for others. */
export function placesOf(tokens: readonly Address[]): Int32Array {
  const placeOf = byToken(-1);
  for (const [place, token] of tokens.entries()) placeOf[numberOfToken(token)] = place;
  return placeOf;
}

function neighboursOf(placeOf: Int32Array, hops: readonly Hop[]): Set<number>[] {
  const neighbours: Set<number>[] = [];
  for (const { tail, head } of hops) {
    const [from, to] = [placeOf[tail] ?? 0, placeOf[head] ?? 0];
    neighbours[from] = (neighbours[from] ?? new Set()).add(to);
    neighbours[to] = (neighbours[to] ?? new Set()).add(from);
  }
  return neighbours;
}

/** Finds the tokens between two, by number, once for each two. */
export const betweenIn = keptWith((topology: Topology) => {
  const found = createRecentCache<Int32Array>(MAX_PAIRS);
  return (sellToken: Address, buyToken: Address): Int32Array => {
    const name = `${sellToken} ${buyToken}`;
    const known = found.get(name);
    if (known !== undefined) return known;
    const isBetween = tokensBetween(topology, sellToken, buyToken);
    found.set(name, isBetween);
    return isBetween;
  };
});

/**
 * Returns 1 for the tokens that no single token cuts off from both: the
 * biconnected component of an edge between the two.
 *
 * @see https://en.wikipedia.org/wiki/Biconnected_component
 */
function tokensBetween(
  { tokens, placeOf, neighbours }: Topology,
  sellToken: Address,
  buyToken: Address,
): Int32Array {
  const isBetween = byToken(0);
  const placeFor = (token: Address) => placeOf[numberOfToken(token)] ?? -1;
  const [sell, buy] = [placeFor(sellToken), placeFor(buyToken)];
  if (sell < 0 || buy < 0) return isBetween;
  const met = new Map([[sell, 0]]);
  const kept: number[] = [];
  /** Visits a token and what lies behind it; returns the earliest token that these touch. */
  const visit = (token: number): number => {
    const own = met.size;
    met.set(token, own);
    kept.push(token);
    let earliest = own;
    for (const next of neighbours[token] ?? []) {
      const known = met.get(next);
      if (known !== undefined) {
        earliest = Math.min(earliest, known);
        continue;
      }
      const place = kept.length;
      const touched = visit(next);
      if (touched >= own) kept.length = place;
      earliest = Math.min(earliest, touched);
    }
    return earliest;
  };
  visit(buy);
  for (const place of [sell, ...kept]) isBetween[numberOfToken(tokens[place] as Address)] = 1;
  return isBetween;
}
