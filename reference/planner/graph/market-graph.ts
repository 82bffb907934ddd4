import type { Address } from '../domain/address.ts';
import type { Pool } from '../pools/families.ts';
import { type Arc, arcsOfPool, TokenNumbers } from './arc.ts';
import { arcsBetween, type Subgraph, subgraphOf } from './subgraph.ts';
import { type Topology, tokensBetween, topologyOf } from './topology.ts';

type SourceGraph = {
  readonly arcs: readonly Arc[];
  readonly topology: Topology;
};

/** The pools of a market as arcs between tokens. */
export class MarketGraph {
  readonly #numbers: TokenNumbers;
  readonly #arcs = new Map<Pool, readonly Arc[]>();
  readonly #bySources = new Map<string, SourceGraph>();

  /**
   * @param before - Graph of an earlier state of the market. Arcs of unchanged pools are reused.
   */
  constructor(pools: readonly Pool[], before?: MarketGraph | undefined) {
    this.#numbers = before ? before.#numbers : new TokenNumbers();
    const arcs: ReadonlyMap<Pool, readonly Arc[]> = before ? before.#arcs : new Map();
    for (const pool of pools) {
      this.#arcs.set(pool, arcs.get(pool) ?? arcsOfPool(pool, this.#numbers));
    }
  }

  /**
   * Returns the arcs of the given sources that lie on acyclic paths, of any length, from one token
   * to another.
   */
  between(sources: ReadonlySet<string>, sellToken: Address, buyToken: Address): Subgraph {
    const { arcs, topology } = this.#graphOf(sources);
    const isBetween = tokensBetween(topology, sellToken, buyToken);
    const [sell, buy] = [sellToken, buyToken].map((token) => this.#numbers.numberOf(token));
    const inside = arcs.filter(
      ({ tail, head }) => tail !== buy && head !== sell && isBetween[tail] && isBetween[head],
    );
    const useful = arcsBetween(inside, { topology, sellToken, buyToken });
    return subgraphOf(topology, useful, sellToken, buyToken);
  }

  #graphOf(sources: ReadonlySet<string>): SourceGraph {
    const key = JSON.stringify([...sources].sort());
    const known = this.#bySources.get(key);
    if (known !== undefined) return known;
    const arcs = [...this.#arcs].flatMap(([{ source }, own]) => (sources.has(source) ? own : []));
    const graph = { arcs, topology: topologyOf(arcs, this.#numbers) };
    this.#bySources.set(key, graph);
    return graph;
  }
}
