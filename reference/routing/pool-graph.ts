import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { createRecentCache, type RecentCache } from '../domain/recent-cache.ts';
import type { Market } from '../market/market.ts';
import { directionsOf, familyOf, type Pool, type PoolDirection } from '../pools/families.ts';
import { capacityIn, capacityOut, type Segment } from '../pools/segment.ts';

/** One direction of one pool. */
export type Hop = PoolDirection & {
  /** Best price first; never empty. */
  readonly segments: readonly Segment[];
  /** Natural logarithm of output per input at the pool's present state, fee taken. */
  readonly logPrice: number;
  /** What the pool takes and gives at most, in base units. */
  readonly capacityIn: number;
  readonly capacityOut: number;
};

/** Two tokens, and the pools of some sources that lead from the one to the other. */
export type Pair = {
  readonly sellToken: Address;
  readonly buyToken: Address;
  /** Those on some way of at most `MAX_HOPS` that meets no token twice; none if the tokens are not connected. */
  readonly hops: readonly Hop[];
};

/** The longest way from the sell token to the buy token, in pools. */
export const MAX_HOPS = 4;

const MAX_PAIRS = 1024;

/** The pools of some sources by the token they sell, and what was asked of them. */
type PoolGraph = {
  readonly from: ReadonlyMap<Address, readonly Hop[]>;
  readonly pairs: RecentCache<Pair>;
};

const graphsOf = keptWith((_: Market) => new Map<string, PoolGraph>());
const keyOf = keptWith((sources: ReadonlySet<string>) => [...sources].sort().join('\n'));

/** Returns two tokens over the pools whose source is in `sources`; the same pair each time, so that more can be kept with it. */
export function pairOf(
  market: Market,
  sources: ReadonlySet<string>,
  sellToken: Address,
  buyToken: Address,
): Pair {
  const { from, pairs } = graphOf(market, sources);
  const name = `${sellToken} ${buyToken}`;
  const known = pairs.get(name);
  if (known !== undefined) return known;
  const useful = usefulSteps(from, sellToken, buyToken);
  const hops = [...from.values()]
    .flat()
    .filter((hop) => useful.get(hop.tokenIn)?.has(hop.tokenOut));
  const pair = { sellToken, buyToken, hops };
  pairs.set(name, pair);
  return pair;
}

function graphOf(market: Market, sources: ReadonlySet<string>): PoolGraph {
  const graphs = graphsOf(market);
  const key = keyOf(sources);
  const known = graphs.get(key);
  if (known !== undefined) return known;
  const from = hopsByToken(hopsOf(market.pools, sources));
  const graph = { from, pairs: createRecentCache<Pair>(MAX_PAIRS) };
  graphs.set(key, graph);
  return graph;
}

/** For each token, the tokens to go on to. */
type Steps = Map<Address, Set<Address>>;

function usefulSteps(from: PoolGraph['from'], sellToken: Address, buyToken: Address): Steps {
  const next: Steps = new Map();
  for (const [token, hops] of from) next.set(token, new Set(hops.map((hop) => hop.tokenOut)));
  const useful: Steps = new Map();
  const walk: Address[] = [];
  const visit = (token: Address): void => {
    walk.push(token);
    for (const after of next.get(token) ?? []) {
      if (after === buyToken) markWalk(useful, [...walk, buyToken]);
      else if (walk.length < MAX_HOPS && !walk.includes(after)) visit(after);
    }
    walk.pop();
  };
  visit(sellToken);
  return useful;
}

function markWalk(useful: Steps, walk: readonly Address[]): void {
  for (const [index, token] of walk.slice(0, -1).entries()) {
    const after = walk[index + 1];
    if (after === undefined) continue;
    const known = useful.get(token);
    if (known === undefined) useful.set(token, new Set([after]));
    else known.add(after);
  }
}

function hopsOf(pools: readonly Pool[], sources: ReadonlySet<string>): Hop[] {
  return pools
    .filter((pool) => sources.has(pool.source))
    .flatMap(directionsOf)
    .map(hopOf)
    .filter((hop) => hop !== undefined);
}

export function hopsByToken(hops: readonly Hop[]): Map<Address, Hop[]> {
  const from = new Map<Address, Hop[]>();
  for (const hop of hops) {
    const siblings = from.get(hop.tokenIn);
    if (siblings === undefined) from.set(hop.tokenIn, [hop]);
    else siblings.push(hop);
  }
  return from;
}

function hopOf({ pool, tokenIn, tokenOut }: PoolDirection): Hop | undefined {
  const segments = familyOf(pool).segments(pool, tokenIn, tokenOut);
  const first = segments[0];
  if (first === undefined) return undefined;
  return {
    pool,
    tokenIn,
    tokenOut,
    segments,
    logPrice: first.logPrice,
    capacityIn: capacityIn(segments),
    capacityOut: capacityOut(segments),
  };
}
