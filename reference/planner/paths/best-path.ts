import { at } from '../domain/at.ts';
import type { FlowProblem } from '../dual/flow-problem.ts';
import type { Arc } from '../graph/arc.ts';
import { Path } from './path.ts';
import { type PathKind, pathKindsOf } from './path-kinds.ts';

const MAX_PATH_ARCS = 6;

/** Returns the cost of trading an amount through an arc, in base units of the buy token. */
export type CostOf = (arc: Arc, amount: number) => number;

export type PathOptions = {
  /** Default: 0. */
  readonly costOf?: CostOf | undefined;
  /** Lower bound on any arc's cost. Default: 0. */
  readonly minCost?: number;
  /** Minimum worth net of costs. Paths worth no more are omitted. Default: no minimum. */
  readonly worthOver?: number | undefined;
};

/** Relative tolerance when floats are compared with whole numbers. */
const ROUNDING = 1e-12;

/**
 * The largest amount of a node's token that any walk with a given number of arcs yields, with the
 * last arc of that walk.
 */
type Label = {
  readonly amount: number;
  readonly cost: number;
  readonly worth: number;
  readonly node: number;
  readonly arc: number;
  readonly before?: Label;
};

/**
 * Returns the path of at most {@link MAX_PATH_ARCS} arcs whose output for the whole input, net of
 * its cost, is largest.
 */
export function bestPathFor(
  problem: FlowProblem,
  input: number,
  isOpen: PathKind,
  options: PathOptions = {},
): Path | undefined {
  const { worthOver = Number.NEGATIVE_INFINITY } = options;
  let best: Label | undefined;
  walk(problem, input, isOpen, options, {
    isWhole: false,
    arrive: (label) => {
      if (best === undefined || label.worth > best.worth) best = label;
    },
    worthOver: () => Math.max(worthOver, best?.worth ?? worthOver),
  });
  return best && pathTo(problem, best);
}

const MAX_SINGLES = 16;
/**
 * Maximum number of competing paths through the same tokens. Parallel pools round similarly, so
 * more are not needed.
 */
const MAX_PARALLEL = 2;

/**
 * Returns the paths with the largest outputs for the whole input: the best path for each last pool
 * and each number of pools. Omits paths that yield at most `worthOver`. If `isWhole`, amounts are
 * whole base units, as contracts compute them; otherwise they are floats.
 */
export function singlePathsFor(
  problem: FlowProblem,
  input: number,
  isOneFamily: boolean,
  { isWhole, worthOver }: { readonly isWhole: boolean; readonly worthOver: number },
): Path[] {
  const arrived: Label[] = [];
  for (const isOf of pathKindsOf(problem, isOneFamily)) {
    const arrive = (label: Label) => arrived.push(label);
    walk(problem, input, isOf, {}, { isWhole, arrive, worthOver: () => worthOver });
  }
  const taken = new Map<string, number>();
  return arrived
    .sort((a, b) => b.worth - a.worth)
    .map((label) => pathTo(problem, label))
    .filter(({ arcs }) => {
      const tokens = arcs.map(({ tokenOut }) => tokenOut).join();
      const count = taken.get(tokens) ?? 0;
      taken.set(tokens, count + 1);
      return count < MAX_PARALLEL;
    })
    .slice(0, MAX_SINGLES);
}

type Walk = {
  /** True if each arc yields whole base units. */
  readonly isWhole: boolean;
  readonly arrive: (label: Label) => void;
  readonly worthOver: () => number;
};

/**
 * Dynamic programming over nodes. If two walks with the same number of arcs reach a node, the one
 * with the larger amount stays ahead, whatever follows.
 */
function walk(
  problem: FlowProblem,
  input: number,
  isOpen: PathKind,
  { costOf, minCost = 0 }: Pick<PathOptions, 'costOf' | 'minCost'>,
  { isWhole, arrive, worthOver }: Walk,
): void {
  const { arcs, heads, nodeCount, sell, buy, isArbitrageFree } = problem;
  const { leaving, startRates, referencePrices } = problem;
  let labels: Label[] = [
    { amount: input, cost: 0, worth: Number.POSITIVE_INFINITY, node: sell, arc: -1 },
  ];
  for (let length = 1; length <= MAX_PATH_ARCS; length++) {
    const next: (Label | undefined)[] = new Array(nodeCount);
    // Without profitable cycles, extending a label cannot increase its worth.
    const threshold = isArbitrageFree ? worthOver() : Number.NEGATIVE_INFINITY;
    for (const before of labels) {
      if (before.worth <= threshold) continue;
      const value = before.amount * at(referencePrices, before.node) * (1 + ROUNDING);
      for (const index of leaving[before.node] ?? []) {
        const node = at(heads, index);
        const known =
          node === buy ? threshold : Math.max(threshold, next[node]?.worth ?? threshold);
        const rest = node === buy ? 0 : minCost;
        // An arc never trades above its start rate. This excludes most arcs.
        if (value * at(startRates, index) * (1 + ROUNDING) - before.cost - rest <= known) continue;
        const arc = arcs[index] as Arc;
        const output = arc.outputFor(before.amount);
        const worthOf = (amount: number) => amount * at(referencePrices, node) - before.cost - rest;
        if (worthOf(output * (1 + ROUNDING)) <= known || !isOpen(arc)) continue;
        const amount = isWhole ? wholeOutputOf(arc, before.amount) : output;
        if (amount === 0) continue;
        const own = costOf?.(arc, before.amount) ?? 0;
        const worth = worthOf(amount) - own;
        if (worth <= known || hasMet(problem, before, node, index)) continue;
        const label = { amount, cost: before.cost + own, worth, node, arc: index, before };
        if (node === buy) arrive(label);
        else next[node] = label;
      }
    }
    labels = next.filter((label) => label !== undefined);
  }
}

function pathTo({ arcs }: FlowProblem, last: Label): Path {
  const trail: Arc[] = [];
  for (let label = last; label.before !== undefined; label = label.before) {
    trail.push(arcs[label.arc] as Arc);
  }
  return new Path(trail.reverse());
}

/**
 * Returns whether the walk already contains the node or the pool. A path contains neither twice.
 */
function hasMet({ arcs, tails }: FlowProblem, last: Label, node: number, next: number): boolean {
  for (let label: Label | undefined = last; label !== undefined; label = label.before) {
    if (tails[label.arc] === node) return true;
    if (label.arc >= 0 && arcs[label.arc]?.pool === arcs[next]?.pool) return true;
  }
  return false;
}

/** Returns the output, rounded as by the contract; 0 if the pool takes less than the amount. */
function wholeOutputOf({ curve }: Arc, amount: number): number {
  const { kind, amountOut } = curve.swapExactInput(BigInt(amount));
  return kind === 'exhausted' ? 0 : Number(amountOut);
}

/**
 * The smallest amount of a node's token that buys the output through a given number of arcs, with
 * the first arc of that walk.
 */
type CostLabel = {
  readonly amount: bigint;
  readonly worth: number;
  readonly node: number;
  readonly arc?: Arc;
  readonly after?: CostLabel;
};

/**
 * Returns one path for each kind of path: the path that buys exactly `amount` for the smallest
 * whole input.
 */
export function cheapestPathsFor(
  problem: FlowProblem,
  amount: bigint,
  isOneFamily: boolean,
): Path[] {
  return pathKindsOf(problem, isOneFamily).flatMap((isOf) => {
    const arcs: Arc[] = [];
    let label = cheapest(problem, amount, isOf);
    for (; label?.arc !== undefined; label = label.after) arcs.push(label.arc);
    return arcs.length === 0 ? [] : [new Path(arcs)];
  });
}

/**
 * Walks back from the buy token in whole base units. If two walks with the same number of arcs
 * start at a node, the one with the smaller amount stays ahead, whatever precedes it.
 */
function cheapest(problem: FlowProblem, amount: bigint, isOpen: PathKind): CostLabel | undefined {
  const { arcs, tails, sell, isArbitrageFree, startRates, referencePrices } = problem;
  let best: CostLabel | undefined;
  let labels: CostLabel[] = [{ amount, worth: Number(amount), node: problem.buy }];
  for (let length = 1; length <= MAX_PATH_ARCS; length++) {
    const next: (CostLabel | undefined)[] = new Array(problem.nodeCount);
    for (const after of labels) {
      for (const index of problem.entering[after.node] ?? []) {
        const arc = arcs[index] as Arc;
        const node = at(tails, index);
        const known = node === sell ? best : next[node];
        // An arc never trades above its start rate. If no cycle is profitable, neither does any
        // path to this node.
        const minWorth = (after.worth / at(startRates, index)) * (1 - ROUNDING);
        if (known && minWorth >= known.worth) continue;
        if (isArbitrageFree && best && minWorth >= best.worth) continue;
        if (Number(after.amount) > arc.capacityOut * (1 + ROUNDING)) continue;
        if (!isOpen(arc) || leadsThrough(after, arc)) continue;
        const { kind, amountIn } = arc.curve.swapExactOutput(after.amount);
        if (kind === 'exhausted' || (known && amountIn >= known.amount)) continue;
        const worth = Number(amountIn) * at(referencePrices, node);
        const label = { amount: amountIn, worth, node, arc, after };
        if (node === sell) best = label;
        else next[node] = label;
      }
    }
    labels = next.filter((label) => label !== undefined);
  }
  return best;
}

function leadsThrough(path: CostLabel, { tokenIn, pool }: Arc): boolean {
  for (let label: CostLabel | undefined = path; label?.arc !== undefined; label = label.after) {
    if (label.arc.tokenOut === tokenIn || label.arc.pool === pool) return true;
  }
  return false;
}
