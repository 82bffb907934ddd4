import type { Address } from '../domain/address.ts';
import { at } from '../domain/at.ts';
import type { Arc, SegmentColumns } from '../graph/arc.ts';
import type { Subgraph } from '../graph/market-graph.ts';
import { edgesBetween } from '../graph/reach.ts';

/**
 * The convex flow problem of a token pair, as columns for the dual solver. An arc is one direction
 * of a pool. A node is a token on a path between the pair. Arrays are indexed by arc or by node.
 * @see https://arxiv.org/abs/2404.00765
 */
export class FlowProblem {
  readonly subgraph: Subgraph;
  readonly nodeCount: number;
  /** Token of each node. */
  readonly tokens: readonly Address[];
  /** Nodes of the sell and the buy token. */
  readonly sell: number;
  readonly buy: number;
  /** Nodes at which each arc starts and ends. */
  readonly tails: Int32Array;
  readonly heads: Int32Array;
  readonly columns: readonly SegmentColumns[];
  /**
   * Natural logarithm of the amount that one base unit of each node buys along its best path before
   * any trade. Log prices are relative to this reference, so that floats can distinguish close
   * prices.
   */
  readonly referenceLogPrice: Float64Array;
  /**
   * Log rate of each arc at the reference prices. The arc's other log rates are relative to this
   * rate.
   */
  readonly referenceLogRate: Float64Array;
  /** Initial log rate of each arc: 0 on the best path, negative elsewhere. */
  readonly startLogRate: Float64Array;
  /** True if no cycle is profitable, so that no pool would trade at the reference prices. */
  readonly isArbitrageFree: boolean;
  #leaving: readonly (readonly number[])[] | undefined;
  #entering: readonly (readonly number[])[] | undefined;
  #startRates: Float64Array | undefined;
  #referencePrices: Float64Array | undefined;
  #bestPath: { readonly arcs: readonly number[] | undefined } | undefined;

  constructor(fields: Fields) {
    this.subgraph = fields.subgraph;
    this.nodeCount = fields.nodeCount;
    this.tokens = fields.tokens;
    this.sell = fields.sell;
    this.buy = fields.buy;
    this.tails = fields.tails;
    this.heads = fields.heads;
    this.columns = fields.columns;
    this.referenceLogPrice = fields.referenceLogPrice;
    this.referenceLogRate = fields.referenceLogRate;
    this.startLogRate = fields.startLogRate;
    this.isArbitrageFree = fields.isArbitrageFree;
  }

  get arcs(): readonly Arc[] {
    return this.subgraph.arcs;
  }

  /** For each node, the arcs that leave it, best start rate first. */
  get leaving(): readonly (readonly number[])[] {
    const { startLogRate: rates } = this;
    this.#leaving ??= arcsByNode(this.nodeCount, this.tails).map((arcs) =>
      arcs.sort((a, b) => at(rates, b) - at(rates, a)),
    );
    return this.#leaving;
  }

  /** For each node, the arcs that enter it. */
  get entering(): readonly (readonly number[])[] {
    this.#entering ??= arcsByNode(this.nodeCount, this.heads);
    return this.#entering;
  }

  /** `exp(startLogRate)`: the fraction of value, at reference prices, that each arc preserves. */
  get startRates(): Float64Array {
    this.#startRates ??= this.startLogRate.map(Math.exp);
    return this.#startRates;
  }

  /** `exp(referenceLogPrice)`, in base units of the buy token. */
  get referencePrices(): Float64Array {
    this.#referencePrices ??= this.referenceLogPrice.map(Math.exp);
    return this.#referencePrices;
  }

  /**
   * The arcs of the path with the best marginal rate; `undefined` if following the best rates leads
   * into a profitable cycle.
   */
  get bestPath(): readonly number[] | undefined {
    this.#bestPath ??= { arcs: bestPathOf(this) };
    return this.#bestPath.arcs;
  }

  /** Returns the dual price of a node in base units of the buy token. */
  priceOf(node: number, logPrices: Float64Array): number {
    return Math.exp(at(logPrices, node) + at(this.referenceLogPrice, node));
  }
}

type Fields = Omit<
  FlowProblem,
  'arcs' | 'leaving' | 'entering' | 'startRates' | 'referencePrices' | 'bestPath' | 'priceOf'
>;

/** Returns the flow problem of a subgraph. It has no arcs if the tokens are not connected. */
export function flowProblemOf(subgraph: Subgraph): FlowProblem {
  const { arcs } = subgraph;
  const addresses: Address[] = [];
  for (const { tail, tokenIn, head, tokenOut } of arcs) {
    addresses[tail] = tokenIn;
    addresses[head] = tokenOut;
  }
  const nodes: number[] = [];
  const tokens: Address[] = [];
  for (const token of subgraph.order) {
    const address = addresses[token];
    if (address !== undefined) nodes[token] = tokens.push(address) - 1;
  }
  const nodeOf = (token: number) => nodes[token] ?? 0;
  const [sell, buy] = [nodeOf(subgraph.sell), nodeOf(subgraph.buy)];
  const tails = Int32Array.from(arcs, ({ tail }) => nodeOf(tail));
  const heads = Int32Array.from(arcs, ({ head }) => nodeOf(head));
  const referenceLogRate = new Float64Array(arcs.length);
  const startLogRate = Float64Array.from(arcs, ({ logRate }) => logRate);
  const { prices, isArbitrageFree } = bestLogPrices(tokens.length, buy, tails, heads, startLogRate);
  for (let arc = 0; arc < arcs.length; arc++) {
    const rate = at(prices, at(tails, arc)) - at(prices, at(heads, arc));
    referenceLogRate[arc] = rate;
    add(startLogRate, arc, -rate);
  }
  return new FlowProblem({
    subgraph,
    nodeCount: tokens.length,
    tokens,
    sell,
    buy,
    tails,
    heads,
    columns: arcs.map(({ columns }) => columns),
    referenceLogPrice: prices,
    referenceLogRate,
    startLogRate,
    isArbitrageFree,
  });
}

/** Returns those of the given arcs that lie on walks from the sell token to the buy token. */
export function arcsBetween({ subgraph }: FlowProblem, arcs: readonly Arc[]): readonly Arc[] {
  return edgesBetween(arcs, subgraph.sell, subgraph.buy);
}

/** Returns the problem with only these arcs; `undefined` if they do not connect the two tokens. */
export function restrictedTo(problem: FlowProblem, arcs: readonly Arc[]): FlowProblem | undefined {
  const between = arcsBetween(problem, arcs);
  return between.length === 0 ? undefined : flowProblemOf({ ...problem.subgraph, arcs: between });
}

export function add(array: Float64Array, index: number, amount: number): void {
  array[index] = at(array, index) + amount;
}

/**
 * If a cycle is profitable, prices may keep rising for this many rounds after each node has a
 * price.
 */
const MAX_ARBITRAGE_ROUNDS = 3;

/** Smaller relative differences between prices are rounding. */
const PRICE_EPSILON = 1e-15;

/**
 * Bellman-Ford. If no cycle is profitable, prices converge after at most as many rounds as there
 * are nodes.
 */
function bestLogPrices(
  nodeCount: number,
  buy: number,
  tails: Int32Array,
  heads: Int32Array,
  logRates: Float64Array,
): { readonly prices: Float64Array; readonly isArbitrageFree: boolean } {
  let prices = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  prices[buy] = 0;
  let missing = new Set(tails).size;
  const finite = () => prices.map((price) => (Number.isFinite(price) ? price : 0));
  let early: Float64Array | undefined;
  for (let [round, sinceAll] = [0, 0]; round <= nodeCount; round++) {
    if (missing === 0 && sinceAll++ === MAX_ARBITRAGE_ROUNDS) early = finite();
    const next = prices.slice();
    let hasRisen = false;
    for (let arc = 0; arc < tails.length; arc++) {
      const tail = at(tails, arc);
      const price = at(logRates, arc) + at(prices, at(heads, arc));
      const best = at(next, tail);
      if (price <= best + PRICE_EPSILON * Math.abs(best)) continue;
      if (best === Number.NEGATIVE_INFINITY) missing -= 1;
      next[tail] = price;
      hasRisen = true;
    }
    prices = next;
    if (!hasRisen) return { prices: finite(), isArbitrageFree: true };
  }
  return { prices: early ?? finite(), isArbitrageFree: false };
}

function arcsByNode(nodeCount: number, ends: Int32Array): number[][] {
  const arcs: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const [arc, node] of ends.entries()) arcs[node]?.push(arc);
  return arcs;
}

function bestPathOf({ nodeCount, sell, buy, tails, heads, startLogRate }: FlowProblem) {
  const best = new Int32Array(nodeCount).fill(-1);
  for (const [arc, node] of tails.entries()) {
    const known = best[node] ?? -1;
    if (known < 0 || at(startLogRate, arc) > at(startLogRate, known)) best[node] = arc;
  }
  const path: number[] = [];
  for (let node = sell; node !== buy; ) {
    const arc = best[node] ?? -1;
    if (arc < 0 || path.length === nodeCount) return undefined;
    path.push(arc);
    node = heads[arc] ?? buy;
  }
  return path;
}
