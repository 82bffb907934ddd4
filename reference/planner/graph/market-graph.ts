import type { Address } from '../domain/address.ts';
import type { Pool } from '../pools/families.ts';
import { type Arc, arcsOfPool } from './arc.ts';
import { edgesBetween } from './reach.ts';

/** The arcs on paths from the sell token to the buy token. */
export type Subgraph = {
  /** Empty if the tokens are not connected. */
  readonly arcs: readonly Arc[];
  /** Numbers of the sell and the buy token, as in the arcs. */
  readonly sell: number;
  readonly buy: number;
  /** Numbers of all tokens, including tokens outside the subgraph; see {@link orderByDegree}. */
  readonly order: readonly number[];
};

/** For each token number, the numbers of the tokens with which the token shares a pool. */
type Neighbors = ReadonlyMap<number, ReadonlySet<number>>;

type SourceGraph = Pick<Subgraph, 'arcs' | 'order'> & { readonly neighbors: Neighbors };

/** The pools of a market as arcs between tokens. */
export class MarketGraph {
  /** Consecutive numbers of tokens. A token's number never changes. */
  readonly #numbers: Map<Address, number>;
  readonly #arcs = new Map<Pool, readonly Arc[]>();
  readonly #bySources = new Map<string, SourceGraph>();

  /**
   * @param before - Graph of an earlier state of the market. Arcs of unchanged pools are reused.
   */
  constructor(pools: readonly Pool[], before?: MarketGraph | undefined) {
    this.#numbers = before ? before.#numbers : new Map();
    const arcs: ReadonlyMap<Pool, readonly Arc[]> = before ? before.#arcs : new Map();
    const numberOf = (token: Address): number => {
      const number = this.#numbers.get(token) ?? this.#numbers.size;
      this.#numbers.set(token, number);
      return number;
    };
    for (const pool of pools) {
      this.#arcs.set(pool, arcs.get(pool) ?? arcsOfPool(pool, numberOf));
    }
  }

  /**
   * Returns the arcs of the given sources that lie on acyclic paths, of any length, from one token
   * to another.
   */
  between(sources: ReadonlySet<string>, sellToken: Address, buyToken: Address): Subgraph {
    const { arcs, order, neighbors } = this.#graphOf(sources);
    const [sell, buy] = [this.#numbers.get(sellToken) ?? -1, this.#numbers.get(buyToken) ?? -1];
    const isBetween = tokensBetween(neighbors, sell, buy);
    const inside = arcs.filter(
      ({ tail, head }) =>
        tail !== buy && head !== sell && isBetween.has(tail) && isBetween.has(head),
    );
    return { arcs: edgesBetween(inside, sell, buy), sell, buy, order };
  }

  #graphOf(sources: ReadonlySet<string>): SourceGraph {
    const key = JSON.stringify([...sources].sort());
    const known = this.#bySources.get(key);
    if (known !== undefined) return known;
    const arcs = [...this.#arcs].flatMap(([{ source }, own]) => (sources.has(source) ? own : []));
    const neighbors = neighborsOf(arcs);
    const graph = { arcs, neighbors, order: orderByDegree(arcs, neighbors) };
    this.#bySources.set(key, graph);
    return graph;
  }
}

function neighborsOf(arcs: readonly Arc[]): Neighbors {
  const neighbors = new Map<number, Set<number>>();
  const connect = (from: number, to: number) => {
    const known = neighbors.get(from);
    if (known === undefined) neighbors.set(from, new Set([to]));
    else known.add(to);
  };
  for (const { tail, head } of arcs) {
    connect(tail, head);
    connect(head, tail);
  }
  return neighbors;
}

/**
 * Returns the tokens' numbers in order of degree, fewest neighbors first, because the solver
 * eliminates them in this order: in order of address, plans among 100 tokens take up to 2.4 times
 * as long. Tokens of the same degree are in order of address, so that the order does not depend on
 * the order of the pools.
 */
function orderByDegree(arcs: readonly Arc[], neighbors: Neighbors): readonly number[] {
  const addresses = new Map<number, Address>();
  for (const { tail, tokenIn, head, tokenOut } of arcs) {
    addresses.set(tail, tokenIn).set(head, tokenOut);
  }
  const degreeOf = (token: number) => neighbors.get(token)?.size ?? 0;
  return [...addresses]
    .sort(([a, one], [b, other]) => degreeOf(a) - degreeOf(b) || (one < other ? -1 : 1))
    .map(([token]) => token);
}

/**
 * Returns the tokens on simple paths between two tokens. They form the biconnected component that
 * would contain an edge between the two.
 *
 * @see https://en.wikipedia.org/wiki/Biconnected_component
 */
function tokensBetween(neighbors: Neighbors, sell: number, buy: number): ReadonlySet<number> {
  if (!neighbors.has(sell) || !neighbors.has(buy)) return new Set();
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
    for (const next of neighbors.get(token) ?? []) {
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
  return new Set([sell, ...component]);
}
