import type { Address } from '../../domain/address.ts';
import { keptWith } from '../../domain/kept-with.ts';
import { createRecentCache, type RecentCache } from '../../domain/recent-cache.ts';
import type { Market } from '../../market/market.ts';
import { type Elimination, eliminationOf } from './elimination.ts';
import { byToken, type Hop, hopsOfPool, numberOfToken } from './hop.ts';

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

/** The pools of some sources as arcs between the tokens of a topology. */
type PoolGraph = { readonly topology: Topology; readonly hops: readonly Hop[] };

/** Two tokens, and the pools of some sources that lead from the one to the other. */
export type Pair = {
  readonly topology: Topology;
  readonly sellToken: Address;
  readonly buyToken: Address;
  /** Those on some way that meets no token twice; none if the tokens are not connected. */
  readonly hops: readonly Hop[];
};

const MAX_PAIRS = 1024;
const MAX_TOPOLOGIES = 64;

type KeptGraph = { readonly graph: PoolGraph; readonly pairs: RecentCache<Pair> };

const graphsOf = keptWith((_: Market) => new Map<string, KeptGraph>());
const keyOf = keptWith((sources: ReadonlySet<string>) => [...sources].sort().join('\n'));

/** Returns two tokens over the pools whose source is in `sources`; the same pair each time, so that more can be kept with it. */
export function pairOf(
  market: Market,
  sources: ReadonlySet<string>,
  sellToken: Address,
  buyToken: Address,
): Pair {
  const graphs = graphsOf(market);
  const key = keyOf(sources);
  let kept = graphs.get(key);
  if (kept === undefined) {
    kept = { graph: graphOf(market, sources), pairs: createRecentCache<Pair>(MAX_PAIRS) };
    graphs.set(key, kept);
  }
  const { graph, pairs } = kept;
  const name = `${sellToken} ${buyToken}`;
  const known = pairs.get(name);
  if (known !== undefined) return known;
  const { topology } = graph;
  const pair = { topology, sellToken, buyToken, hops: usefulHops(graph, sellToken, buyToken) };
  pairs.set(name, pair);
  return pair;
}

/** The last topology of each chain's sources: most markets differ from the one before in what pools hold. */
const topologies = createRecentCache<Topology>(MAX_TOPOLOGIES);

function graphOf({ chainId, pools }: Market, sources: ReadonlySet<string>): PoolGraph {
  const hops = pools.filter(({ source }) => sources.has(source)).flatMap(hopsOfPool);
  const key = `${chainId} ${keyOf(sources)}`;
  const known = topologies.get(key);
  if (known !== undefined && fits(known, hops)) return { topology: known, hops };
  const topology = topologyOf(hops);
  topologies.set(key, topology);
  return { topology, hops };
}

/** Returns whether hops join the tokens of a topology that share a pool there, all of them and no others. */
function fits({ tokens, placeOf, neighbours }: Topology, hops: readonly Hop[]): boolean {
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

function topologyOf(hops: readonly Hop[]): Topology {
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

/**
 * Returns the hops on ways from the one token to the other, however long: the
 * sell token leads to them, they lead to the buy token, and no one token lies on
 * both sides of the detour that they would be.
 */
function usefulHops(
  { topology, hops }: PoolGraph,
  sellToken: Address,
  buyToken: Address,
): readonly Hop[] {
  const isBetween = betweenIn(topology)(sellToken, buyToken);
  const [sell, buy] = [numberOfToken(sellToken), numberOfToken(buyToken)];
  const inside = hops.filter(
    ({ tail, head }) => tail !== buy && head !== sell && isBetween[tail] && isBetween[head],
  );
  return hopsBetween(inside, { sellToken, buyToken });
}

/** Returns those of the hops that the sell token leads to, and that lead to the buy token. */
export function hopsBetween(
  hops: readonly Hop[],
  { sellToken, buyToken }: Pick<Pair, 'sellToken' | 'buyToken'>,
): readonly Hop[] {
  const isFed = reachedFrom(numberOfToken(sellToken), hops, 'tail', 'head');
  const isDrained = reachedFrom(numberOfToken(buyToken), hops, 'head', 'tail');
  return hops.filter(({ tail, head }) => isFed[tail] && isDrained[head]);
}

/** Finds the tokens between two, by number, once for each two. */
const betweenIn = keptWith((topology: Topology) => {
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

function reachedFrom(
  start: number,
  hops: readonly Hop[],
  near: 'tail' | 'head',
  far: 'tail' | 'head',
): Int32Array {
  const isReached = byToken(0);
  isReached[start] = 1;
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false;
    for (const hop of hops) {
      if (isReached[hop[near]] === 0 || isReached[hop[far]] === 1) continue;
      isReached[hop[far]] = 1;
      hasGrown = true;
    }
  }
  return isReached;
}
