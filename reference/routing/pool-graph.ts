import type { Address } from '../domain/address.ts';
import type { Market } from '../market/market.ts';
import type { Pool } from '../pools/pool.ts';
import { capacityIn, capacityOut, type Segment, segmentsOf } from './curve.ts';

/** One direction of one pool. */
export type Hop = {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Best price first; never empty. */
  readonly segments: readonly Segment[];
  /** Natural logarithm of output per input at the pool's present state, fee taken. */
  readonly logPrice: number;
  /** What the pool takes and gives at most, in base units. */
  readonly capacityIn: number;
  readonly capacityOut: number;
};

/** The pools of some sources as a graph of tokens. */
export type PoolGraph = {
  /** Hops by the token they sell. */
  readonly from: ReadonlyMap<Address, readonly Hop[]>;
  /** Answers that depend on the graph and a pair alone, for their makers to keep; see {@link remember}. */
  readonly known: Map<string, unknown>;
};

const graphs = new WeakMap<Market, Map<string, PoolGraph>>();

/** Returns the graph of the pools whose source is in `sources`; built once for each market. */
export function poolGraphOf(market: Market, sources: ReadonlySet<string>): PoolGraph {
  let known = graphs.get(market);
  if (known === undefined) {
    known = new Map();
    graphs.set(market, known);
  }
  const key = [...sources].sort().join('\n');
  let graph = known.get(key);
  if (graph === undefined) {
    graph = { from: hopsByToken(hopsOf(market.pools, sources)), known: new Map() };
    known.set(key, graph);
  }
  return graph;
}

const MAX_REMEMBERED = 4096;

/** Returns what `make` made for `key` before, or makes it; when it holds too much, the oldest goes. */
export function remember<Value>(graph: PoolGraph, key: string, make: () => Value): Value {
  const known = graph.known.get(key);
  if (known !== undefined) return known as Value;
  const oldest = graph.known.size < MAX_REMEMBERED ? undefined : graph.known.keys().next().value;
  if (oldest !== undefined) graph.known.delete(oldest);
  const value = make();
  graph.known.set(key, value);
  return value;
}

/** The longest way from the sell token to the buy token, in pools. */
export const MAX_HOPS = 4;

/**
 * Returns the hops that stand on some way of at most `MAX_HOPS` from `sellToken`
 * to `buyToken` that meets no token twice.
 */
export function hopsBetween(
  graph: PoolGraph,
  sellToken: Address,
  buyToken: Address,
): readonly Hop[] {
  return remember(graph, `hops ${sellToken} ${buyToken}`, () => {
    const useful = usefulSteps(graph, sellToken, buyToken);
    return [...graph.from.values()]
      .flat()
      .filter((hop) => useful.get(hop.tokenIn)?.has(hop.tokenOut));
  });
}

/** For each token, the tokens to go on to. */
type Steps = Map<Address, Set<Address>>;

function usefulSteps({ from }: PoolGraph, sellToken: Address, buyToken: Address): Steps {
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
    .flatMap((pool) => [hopOf(pool, true), hopOf(pool, false)])
    .filter((hop) => hop !== undefined);
}

/** Returns the hops by the token that they sell. */
export function hopsByToken(hops: readonly Hop[]): Map<Address, Hop[]> {
  const from = new Map<Address, Hop[]>();
  for (const hop of hops) {
    const siblings = from.get(hop.tokenIn);
    if (siblings === undefined) from.set(hop.tokenIn, [hop]);
    else siblings.push(hop);
  }
  return from;
}

function hopOf(pool: Pool, zeroForOne: boolean): Hop | undefined {
  const segments = segmentsOf(pool, zeroForOne);
  const first = segments[0];
  if (first === undefined) return undefined;
  return {
    pool,
    tokenIn: zeroForOne ? pool.token0 : pool.token1,
    tokenOut: zeroForOne ? pool.token1 : pool.token0,
    segments,
    logPrice: first.logPrice,
    capacityIn: capacityIn(segments),
    capacityOut: capacityOut(segments),
  };
}
