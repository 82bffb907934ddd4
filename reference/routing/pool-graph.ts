import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { createRecentCache, type RecentCache } from '../domain/recent-cache.ts';
import type { Market } from '../market/market.ts';
import { type Elimination, eliminationOf } from './elimination.ts';
import { type Hop, hopsOfPool } from './hop.ts';

/** The pools of some sources as arcs between numbered tokens. */
export type PoolGraph = {
  /** The tokens in the order in which the solver eliminates them; a token's number is its place here. */
  readonly tokens: readonly Address[];
  readonly numberOf: ReadonlyMap<Address, number>;
  readonly elimination: Elimination;
  readonly hops: readonly Hop[];
  /** For each token, the tokens that share a pool with it. */
  readonly neighbours: readonly ReadonlySet<number>[];
};

/** Two tokens, and the pools of some sources that lead from the one to the other. */
export type Pair = {
  readonly graph: PoolGraph;
  readonly sellToken: Address;
  readonly buyToken: Address;
  /** Those on some way that meets no token twice; none if the tokens are not connected. */
  readonly hops: readonly Hop[];
};

const MAX_PAIRS = 1024;

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
  const pair = { graph, sellToken, buyToken, hops: usefulHops(graph, sellToken, buyToken) };
  pairs.set(name, pair);
  return pair;
}

function graphOf({ pools }: Market, sources: ReadonlySet<string>): PoolGraph {
  const hops = pools.filter(({ source }) => sources.has(source)).flatMap(hopsOfPool);
  const found = [...new Set(hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))];
  const elimination = eliminationOf(neighboursOf(found, hops));
  const tokens = elimination.order.map((place) => found[place] as Address);
  const numberOf = new Map(tokens.map((token, number) => [token, number]));
  return { tokens, numberOf, elimination, hops, neighbours: neighboursOf(tokens, hops) };
}

function neighboursOf(tokens: readonly Address[], hops: readonly Hop[]): Set<number>[] {
  const numberOf = new Map(tokens.map((token, number) => [token, number]));
  const neighbours = tokens.map(() => new Set<number>());
  for (const { tokenIn, tokenOut } of hops) {
    const [tail, head] = [numberOf.get(tokenIn) ?? 0, numberOf.get(tokenOut) ?? 0];
    neighbours[tail]?.add(head);
    neighbours[head]?.add(tail);
  }
  return neighbours;
}

/**
 * Returns the hops on ways from the one token to the other, however long: the
 * sell token leads to them, they lead to the buy token, and no one token lies on
 * both sides of the detour that they would be.
 */
function usefulHops(graph: PoolGraph, sellToken: Address, buyToken: Address): Hop[] {
  const { hops, numberOf } = graph;
  const [sell, buy] = [numberOf.get(sellToken), numberOf.get(buyToken)];
  if (sell === undefined || buy === undefined) return [];
  const between = tokensBetween(graph, sell, buy);
  const inside = hops.filter(
    ({ tokenIn, tokenOut }) =>
      tokenIn !== buyToken &&
      tokenOut !== sellToken &&
      between.has(numberOf.get(tokenIn) ?? -1) &&
      between.has(numberOf.get(tokenOut) ?? -1),
  );
  return hopsBetween(inside, { sellToken, buyToken });
}

/** Returns those of the hops that the sell token leads to, and that lead to the buy token. */
export function hopsBetween(
  hops: readonly Hop[],
  { sellToken, buyToken }: Pick<Pair, 'sellToken' | 'buyToken'>,
): Hop[] {
  const fed = reachedFrom(sellToken, hops, 'tokenIn', 'tokenOut');
  const drained = reachedFrom(buyToken, hops, 'tokenOut', 'tokenIn');
  return hops.filter(({ tokenIn, tokenOut }) => fed.has(tokenIn) && drained.has(tokenOut));
}

/**
 * Returns the tokens that no single token cuts off from both `sell` and `buy`:
 * the biconnected component of an edge between the two.
 *
 * @see https://en.wikipedia.org/wiki/Biconnected_component
 */
function tokensBetween({ neighbours }: PoolGraph, sell: number, buy: number): Set<number> {
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
  return new Set([sell, ...kept]);
}

function reachedFrom(
  start: Address,
  hops: readonly Hop[],
  near: 'tokenIn' | 'tokenOut',
  far: 'tokenIn' | 'tokenOut',
): Set<Address> {
  const reached = new Set([start]);
  for (let before = 0; before !== reached.size; ) {
    before = reached.size;
    for (const hop of hops) if (reached.has(hop[near])) reached.add(hop[far]);
  }
  return reached;
}
