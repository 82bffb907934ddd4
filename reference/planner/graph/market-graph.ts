import type { Address } from '../domain/address.ts';
import { LruCache } from '../domain/lru-cache.ts';
import type { Pool } from '../pools/families.ts';
import { type Arc, arcsOfPool, TokenNumbers } from './arc.ts';
import { arcsBetween, type Layout, layOut, type Subgraph } from './subgraph.ts';
import { fits, type Topology, tokensBetween, topologyOf } from './topology.ts';

/** Maximum number of token pairs whose arcs are cached for each set of sources. */
const MAX_PAIRS = 1024;

/** The tokens that arcs join, and everything that depends only on them. */
type Wiring = {
  readonly topology: Topology;
  readonly tails: Int32Array;
  readonly heads: Int32Array;
  /** Arcs between two tokens, as indices into all arcs. */
  readonly byPair: LruCache<{ readonly places: readonly number[]; readonly layout: Layout }>;
};

/** The arcs of the pools of some sources. */
type SourceGraph = { readonly arcs: readonly Arc[]; readonly wiring: Wiring };

/** The pools of a market as arcs between tokens. */
export class MarketGraph {
  readonly #numbers: TokenNumbers;
  readonly #arcs = new Map<Pool, readonly Arc[]>();
  /** Keyed by the sorted names of the sources. */
  readonly #bySources = new Map<string, SourceGraph>();
  readonly #wiringsBefore: ReadonlyMap<string, Wiring>;

  /**
   * @param before - The graph of an earlier state of the market. Arcs of unchanged pools are
   * reused, and so is everything that depends only on which tokens share a pool.
   */
  constructor(pools: readonly Pool[], before?: MarketGraph | undefined) {
    this.#numbers = before ? before.#numbers : new TokenNumbers();
    const arcs: ReadonlyMap<Pool, readonly Arc[]> = before ? before.#arcs : new Map();
    for (const pool of pools) {
      this.#arcs.set(pool, arcs.get(pool) ?? arcsOfPool(pool, this.#numbers));
    }
    const bySources = before ? [...before.#bySources] : [];
    this.#wiringsBefore = new Map(bySources.map(([key, { wiring }]) => [key, wiring]));
  }

  /** Returns the arcs of the sources on acyclic paths of any length from one token to another. */
  between(sources: ReadonlySet<string>, sellToken: Address, buyToken: Address): Subgraph {
    const { arcs, wiring } = this.#graphOf(sources);
    const { topology, byPair } = wiring;
    const { places, layout } = byPair.getOrMake(`${sellToken} ${buyToken}`, () => {
      const between = placesBetween(topology, arcs, sellToken, buyToken);
      const useful = between.map((place) => arcs[place] as Arc);
      return { places: between, layout: layOut(topology, useful, sellToken, buyToken) };
    });
    const useful = places.map((place) => arcs[place] as Arc);
    return { topology, sellToken, buyToken, arcs: useful, layout };
  }

  #graphOf(sources: ReadonlySet<string>): SourceGraph {
    const key = [...sources].sort().join('\n');
    const known = this.#bySources.get(key);
    if (known !== undefined) return known;
    const arcs = [...this.#arcs].flatMap(([{ source }, own]) => (sources.has(source) ? own : []));
    const before = this.#wiringsBefore.get(key);
    const wiring =
      before !== undefined && isWiredAs(before, arcs) ? before : this.#wire(arcs, before?.topology);
    const graph = { arcs, wiring };
    this.#bySources.set(key, graph);
    return graph;
  }

  #wire(arcs: readonly Arc[], before: Topology | undefined): Wiring {
    return {
      topology: before && fits(before, arcs) ? before : topologyOf(arcs, this.#numbers),
      tails: Int32Array.from(arcs, ({ tail }) => tail),
      heads: Int32Array.from(arcs, ({ head }) => head),
      byPair: new LruCache(MAX_PAIRS),
    };
  }
}

function isWiredAs({ tails, heads }: Wiring, arcs: readonly Arc[]): boolean {
  if (tails.length !== arcs.length) return false;
  return arcs.every(({ tail, head }, at) => tail === tails[at] && head === heads[at]);
}

/**
 * Returns the indices of the arcs on acyclic paths between two tokens. Such an arc is reachable
 * from the sell token, leads to the buy token, and is not on a detour that starts and ends at one
 * token.
 */
function placesBetween(
  topology: Topology,
  arcs: readonly Arc[],
  sellToken: Address,
  buyToken: Address,
): readonly number[] {
  const isBetween = tokensBetween(topology, sellToken, buyToken);
  const [sell, buy] = [sellToken, buyToken].map((token) => topology.numbers.numberOf(token));
  const inside = arcs.filter(
    ({ tail, head }) => tail !== buy && head !== sell && isBetween[tail] && isBetween[head],
  );
  const useful = new Set(arcsBetween(inside, { topology, sellToken, buyToken }));
  return [...arcs.keys()].filter((place) => useful.has(arcs[place] as Arc));
}
