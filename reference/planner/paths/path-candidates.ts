import { keptWith } from '../domain/kept-with.ts';
import { bestAcyclicFlow } from '../dual/acyclic-flow.ts';
import { type FlowProblem, flowProblemOf } from '../dual/flow-problem.ts';
import type { Hop } from '../graph/hop.ts';
import { type Path, pathOfHops } from '../graph/path.ts';
import type { Pair } from '../graph/pool-graph.ts';
import { kindsOf } from './path-kinds.ts';
import { throughHop } from './path-walk.ts';

/** The longest path that is looked for, in pools. */
export const MAX_HOPS = 6;

/** Parts of the input for which single paths are looked for: the least tells which have the best marginal price. */
const SINGLE_PARTS = [1, 1 / 8, 1e-6];

/** Parts of the input for which paths that share no pool are looked for one after another, and how many. */
const PARTS = [1, 1 / 2, 1 / 4, 1 / 16];
const MAX_IN_ROW = 4;

/**
 * Returns the paths for a split of about `input`, best marginal price first: those
 * that are best for the input and for parts of it, alone and beside one another,
 * and those along which the best flow goes.
 */
export function candidatesFor(pair: Pair, input: number, isOneFamily: boolean): readonly Path[] {
  const problem = flowProblemOf(pair);
  const flow = bestAcyclicFlow(problem, input);
  const found = kindsOf(pair, isOneFamily).flatMap((isOf) => {
    const best = PARTS.flatMap((part) => bestInRow(problem, input * part, isOf));
    return flow.used.length === 0
      ? best
      : [...best, ...pathsAlong(problem, flow.flows.shares, isOf)];
  });
  const singles = SINGLE_PARTS.flatMap((part) =>
    singlePathsFor(pair, input * part, isOneFamily, { isWhole: false, least: 0 }),
  );
  return eachOnce([...singles, ...found]);
}

/** Returns the candidates, and the paths in a row that are best for the input once they are paid for. */
export function candidatesAtCost(
  pair: Pair,
  candidates: readonly Path[],
  input: number,
  isOneFamily: boolean,
  costOf: CostOf,
): readonly Path[] {
  const found = kindsOf(pair, isOneFamily).flatMap((isOf) =>
    bestInRow(flowProblemOf(pair), input, isOf, { costOf }),
  );
  return eachOnce([...candidates, ...found]);
}

/** Best marginal price first. */
function eachOnce(paths: readonly Path[]): readonly Path[] {
  const byHops = new Map(paths.map((path) => [keyOf(path), path]));
  return [...byHops.values()].sort((a, b) => b.logPrice - a.logPrice);
}

let numbered = 0;
/** Pools of one contract share its address. */
const numberOf = keptWith((_: Hop) => numbered++);

function keyOf({ hops }: Path): string {
  return hops.map(numberOf).join();
}

/** Takes the best path for the input, the best that shares no pool with it, and so on. */
export function bestInRow(
  problem: FlowProblem,
  input: number,
  isOf: (hop: Hop) => boolean,
  options?: PathOptions,
): Path[] {
  const paths: Path[] = [];
  const taken = new Set<unknown>();
  while (paths.length < MAX_IN_ROW) {
    const isOpen = (hop: Hop) => isOf(hop) && !taken.has(hop.pool);
    const path = bestPathFor(problem, input, isOpen, options);
    if (path === undefined) break;
    for (const { pool } of path.hops) taken.add(pool);
    paths.push(path);
  }
  return paths;
}

/** The most that so many hops make of the input by a node, what they cost, and the last of them. */
type Label = {
  readonly amount: number;
  readonly cost: number;
  /** What is left of it at the best prices that may follow. */
  readonly worth: number;
  readonly node: number;
  readonly hop: number;
  readonly before?: Label;
};

/** What using a hop for an amount costs, in base units of the buy token. */
export type CostOf = (hop: Hop, amount: number) => number;

/** What hops cost; everything may be left out. */
export type PathOptions = {
  /** Default nothing. */
  readonly costOf?: CostOf | undefined;
  /** What any hop costs at least; default 0. */
  readonly leastCost?: number;
  /** A path of no more, less what it costs, is of no use; default any is. */
  readonly least?: number | undefined;
  /** Whether each hop gives whole base units, as its contract counts; default they are split at will. */
  readonly isWhole?: boolean;
};

/** What of a whole number floats may have lost. */
const LOST = 1e-12;

/** Which hops leave each node, those that keep most of its value first; what each keeps, and what a base unit of a node buys at best. */
export const layoutOf = keptWith(({ nodeCount, hopIn, logStart, bestLogValue }: FlowProblem) => {
  const leaving: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const [hop, node] of hopIn.entries()) leaving[node]?.push(hop);
  for (const hops of leaving) hops.sort((a, b) => (logStart[b] ?? 0) - (logStart[a] ?? 0));
  return { leaving, kept: logStart.map(Math.exp), values: bestLogValue.map(Math.exp) };
});

/**
 * Returns the path of at most six pools that makes most of the whole input, less
 * what its hops cost.
 */
export function bestPathFor(
  problem: FlowProblem,
  input: number,
  isOpen: (hop: Hop) => boolean,
  options: PathOptions = {},
): Path | undefined {
  const { least = Number.NEGATIVE_INFINITY } = options;
  let best: Label | undefined;
  walk(problem, input, isOpen, options, {
    arrive: (label) => {
      if (best === undefined || label.worth > best.worth) best = label;
    },
    enough: () => Math.max(least, best?.worth ?? least),
  });
  return pathOfHops(trailTo(problem, best));
}

/** How many single paths compete, and how many of them may go through the same tokens: parallel pools round alike. */
const MAX_SINGLES = 16;
const MAX_PARALLEL = 2;

/** Returns paths that make most of the whole input, of each last pool and each number of pools the best, but those that are known to make no more than `least`. */
export function singlePathsFor(
  pair: Pair,
  input: number,
  isOneFamily: boolean,
  { isWhole, least }: { readonly isWhole: boolean; readonly least: number },
): Path[] {
  const problem = flowProblemOf(pair);
  const arrived: Label[] = [];
  for (const isOf of kindsOf(pair, isOneFamily)) {
    const arrive = (label: Label) => arrived.push(label);
    walk(problem, input, isOf, { isWhole }, { arrive, enough: () => least });
  }
  const taken = new Map<string, number>();
  return arrived
    .sort((a, b) => b.worth - a.worth)
    .flatMap((label) => pathOfHops(trailTo(problem, label)) ?? [])
    .filter(({ hops }) => {
      const tokens = hops.map(({ tokenOut }) => tokenOut).join();
      const count = taken.get(tokens) ?? 0;
      taken.set(tokens, count + 1);
      return count < MAX_PARALLEL;
    })
    .slice(0, MAX_SINGLES);
}

/** Takes each path that is found, and tells what others must be worth more than. */
type Arrivals = { readonly arrive: (label: Label) => void; readonly enough: () => number };

/** Walks by dynamic programming over nodes: of as many hops, more at a node is better, whatever follows. */
function walk(
  problem: FlowProblem,
  input: number,
  isOpen: (hop: Hop) => boolean,
  { costOf, leastCost = 0, isWhole = false }: PathOptions,
  arrivals: Arrivals,
): void {
  const { hops, hopOut, nodeCount, sell, buy, isFair } = problem;
  const { leaving, kept, values } = layoutOf(problem);
  let labels: Label[] = [
    { amount: input, cost: 0, worth: Number.POSITIVE_INFINITY, node: sell, hop: -1 },
  ];
  for (let length = 1; length <= MAX_HOPS; length++) {
    const next: (Label | undefined)[] = new Array(nodeCount);
    // Where no circle of trades pays, nothing that follows is worth more.
    const enough = isFair ? arrivals.enough() : Number.NEGATIVE_INFINITY;
    for (const before of labels) {
      if (before.worth <= enough) continue;
      const value = before.amount * (values[before.node] ?? 0) * (1 + LOST);
      for (const at of leaving[before.node] ?? []) {
        const node = hopOut[at] ?? 0;
        const known = node === buy ? enough : Math.max(enough, next[node]?.worth ?? enough);
        const rest = node === buy ? 0 : leastCost;
        // No hop gives more than its price at the start: most are ruled out by that alone.
        if (value * (kept[at] ?? 0) * (1 + LOST) - before.cost - rest <= known) continue;
        const hop = hops[at] as Hop;
        const output = throughHop(hop, before.amount);
        const worthOf = (amount: number) => amount * (values[node] ?? 0) - before.cost - rest;
        if (worthOf(output * (1 + LOST)) <= known || !isOpen(hop)) continue;
        const amount = isWhole ? boughtBy(hop, before.amount) : output;
        const most = worthOf(amount);
        if (amount === 0) continue;
        const own = costOf?.(hop, before.amount) ?? 0;
        if (most - own <= known || hasMet(problem, before, node, at)) continue;
        const cost = before.cost + own;
        const label = { amount, cost, worth: most - own, node, hop: at, before };
        if (node === buy) arrivals.arrive(label);
        else next[node] = label;
      }
    }
    labels = next.filter((label) => label !== undefined);
  }
}

function trailTo({ hops }: FlowProblem, last: Label | undefined): Hop[] {
  const trail: Hop[] = [];
  for (let label = last; label?.before !== undefined; label = label.before) {
    trail.push(hops[label.hop] as Hop);
  }
  return trail.reverse();
}

function hasMet({ hops, hopIn }: FlowProblem, last: Label, node: number, next: number): boolean {
  for (let label: Label | undefined = last; label !== undefined; label = label.before) {
    if (hopIn[label.hop] === node || (label.hop >= 0 && hops[label.hop]?.pool === hops[next]?.pool))
      return true;
  }
  return false;
}

/** Returns paths along a flow that share no pool: from each node goes what carries most. */
function pathsAlong(
  { hops, hopIn, hopOut, nodeCount, sell, buy }: FlowProblem,
  shares: Float64Array,
  isOf: (hop: Hop) => boolean,
): Path[] {
  const left = Float64Array.from(shares, (share, hop) => (isOf(hops[hop] as Hop) ? share : 0));
  const paths: Path[] = [];
  while (paths.length < MAX_IN_ROW) {
    const trail: number[] = [];
    for (let node = sell; node !== buy && trail.length < nodeCount; ) {
      let most = -1;
      for (let hop = 0; hop < left.length; hop++) {
        if (hopIn[hop] === node && (left[hop] ?? 0) > (left[most] ?? 0)) most = hop;
      }
      if (most < 0) break;
      trail.push(most);
      node = hopOut[most] ?? buy;
    }
    if (trail.length === 0) break;
    for (const hop of trail) left[hop] = 0;
    const path =
      hopOut[trail.at(-1) ?? 0] === buy && pathOfHops(trail.map((hop) => hops[hop] as Hop));
    if (path) paths.push(path);
  }
  return paths;
}

/** What a hop gives of a whole amount, fees rounded as its contract does; 0 if it takes less. */
function boughtBy(hop: Hop, amount: number): number {
  const { kind, amountOut } = hop.curve.swapExactInput(BigInt(amount));
  return kind === 'exhausted' ? 0 : Number(amountOut);
}
