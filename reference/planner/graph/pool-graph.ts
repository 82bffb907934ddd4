import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { createRecentCache, type RecentCache } from '../domain/recent-cache.ts';
import type { PoolMarket } from '../prices/pool-market.ts';
import { byToken, type Hop, hopsOfPool, numberOfToken } from './hop.ts';
import { type Layout, layOut } from './layout.ts';
import { betweenIn, fits, MAX_PAIRS, type Topology, topologyOf } from './topology.ts';

/** Hops from one token to another, by their places in a graph. */
type Ways = { readonly places: readonly number[]; readonly layout: Layout };

/** Which tokens the hops of a graph join, one after another, and what follows from that alone. */
type Wiring = {
  readonly topology: Topology;
  readonly tails: Int32Array;
  readonly heads: Int32Array;
  readonly ways: RecentCache<Ways>;
};

/** The pools of some sources as arcs between the tokens of a topology. */
type PoolGraph = { readonly wiring: Wiring; readonly hops: readonly Hop[] };

/** Two tokens, and the pools of some sources that lead from the one to the other. */
export type Pair = {
  readonly topology: Topology;
  readonly sellToken: Address;
  readonly buyToken: Address;
  /** Those on some way that meets no token twice; none if the tokens are not connected. */
  readonly hops: readonly Hop[];
  readonly layout: Layout;
  /** How many solutions are looked at where circles of trades pay. Default: what keeps plans fast. */
  readonly maxSolutions?: number;
};

const MAX_WIRINGS = 64;

type KeptGraph = { readonly graph: PoolGraph; readonly pairs: RecentCache<Pair> };

const graphsOf = keptWith((_: PoolMarket) => new Map<string, KeptGraph>());
const keyOf = keptWith((sources: ReadonlySet<string>) => [...sources].sort().join('\n'));

/** Returns two tokens over the pools whose source is in `sources`; the same pair each time, so that more can be kept with it. */
export function pairOf(
  market: PoolMarket,
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
  const { places, layout } = waysIn(graph, sellToken, buyToken);
  const hops = places.map((place) => graph.hops[place] as Hop);
  const pair = { topology: graph.wiring.topology, sellToken, buyToken, hops, layout };
  pairs.set(name, pair);
  return pair;
}

/** Returns the same two tokens over some of the hops. */
export function pairAmong({ topology, sellToken, buyToken }: Pair, hops: readonly Hop[]): Pair {
  const layout = layOut(topology, hops, sellToken, buyToken);
  return { topology, sellToken, buyToken, hops, layout };
}

/** The last wiring of each chain's sources: most markets differ from the one before in what pools hold. */
const wirings = createRecentCache<Wiring>(MAX_WIRINGS);

function graphOf({ chainId, pools }: PoolMarket, sources: ReadonlySet<string>): PoolGraph {
  const hops: Hop[] = [];
  for (const pool of pools) if (sources.has(pool.source)) hops.push(...hopsOfPool(pool));
  const key = `${chainId} ${keyOf(sources)}`;
  const known = wirings.get(key);
  if (known !== undefined && isWiredAs(known, hops)) return { wiring: known, hops };
  const wiring = {
    topology: known && fits(known.topology, hops) ? known.topology : topologyOf(hops),
    tails: Int32Array.from(hops, ({ tail }) => tail),
    heads: Int32Array.from(hops, ({ head }) => head),
    ways: createRecentCache<Ways>(MAX_PAIRS),
  };
  wirings.set(key, wiring);
  return { wiring, hops };
}

function isWiredAs({ tails, heads }: Wiring, hops: readonly Hop[]): boolean {
  if (tails.length !== hops.length) return false;
  return hops.every(({ tail, head }, at) => tail === tails[at] && head === heads[at]);
}

function waysIn({ wiring, hops }: PoolGraph, sellToken: Address, buyToken: Address): Ways {
  const { topology, ways } = wiring;
  const name = `${sellToken} ${buyToken}`;
  const known = ways.get(name);
  if (known !== undefined) return known;
  const useful = new Set(usefulHops(topology, hops, sellToken, buyToken));
  const places = [...hops.keys()].filter((place) => useful.has(hops[place] as Hop));
  const found = { places, layout: layOut(topology, [...useful], sellToken, buyToken) };
  ways.set(name, found);
  return found;
}

/**
 * Returns the hops on ways from the one token to the other, however long: the
 * sell token leads to them, they lead to the buy token, and no one token lies on
 * both sides of the detour that they would be.
 */
function usefulHops(
  topology: Topology,
  hops: readonly Hop[],
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
