import { bestAcyclicFlow } from './acyclic-flow.ts';
import { type FlowProblem, flowProblemOf } from './flow-problem.ts';
import type { Hop } from './hop.ts';
import { hasAllPaths, type Path, pathOfHops, pathsOf } from './path.ts';
import { throughHop } from './path-walk.ts';
import type { Pair } from './pool-graph.ts';

/** The longest path that is looked for, in pools. */
const MAX_HOPS = 6;

/** Parts of the input for which paths that share no pool are looked for one after another, and how many. */
const PARTS = [1, 1 / 4];
const MAX_IN_ROW = 4;

/**
 * Returns the paths for a split of about `input`, best marginal price first: those of best marginal price and, where
 * these are not all, those that are best for the input and for parts of it, and
 * those along which the best flow goes.
 */
export function candidatesFor(pair: Pair, input: number, isOneFamily: boolean): readonly Path[] {
  const known = pathsOf(pair, isOneFamily);
  if (hasAllPaths(pair, isOneFamily)) return known;
  const problem = flowProblemOf(pair);
  const flow = bestAcyclicFlow(problem, input);
  const families = isOneFamily
    ? [...new Set(pair.hops.map(({ pool }) => pool.family))]
    : [undefined];
  const found = families.flatMap((family) => {
    const isOf = ({ pool }: Hop) => family === undefined || pool.family === family;
    const best = PARTS.flatMap((part) => bestInRow(problem, input * part, isOf));
    return flow === undefined ? best : [...best, ...pathsAlong(problem, flow.flows.shares, isOf)];
  });
  const byHops = new Map([...known, ...found].map((path) => [keyOf(path), path]));
  return [...byHops.values()].sort((a, b) => b.logPrice - a.logPrice);
}

function keyOf({ hops }: Path): string {
  return hops.map(({ pool }) => pool.address).join();
}

/** Takes the best path for the input, the best that shares no pool with it, and so on. */
function bestInRow(problem: FlowProblem, input: number, isOf: (hop: Hop) => boolean): Path[] {
  const paths: Path[] = [];
  const taken = new Set<unknown>();
  while (paths.length < MAX_IN_ROW) {
    const path = bestPathFor(problem, input, (hop) => isOf(hop) && !taken.has(hop.pool));
    if (path === undefined) break;
    for (const { pool } of path.hops) taken.add(pool);
    paths.push(path);
  }
  return paths;
}

/** The most that so many hops make of the input by a node, and the last of them. */
type Label = { readonly amount: number; readonly hop: number; readonly before: Label | undefined };

/**
 * Returns the path of at most six pools that makes most of the whole input, by
 * dynamic programming over nodes: more at a node is always better, whatever
 * follows.
 */
export function bestPathFor(
  problem: FlowProblem,
  input: number,
  isOpen: (hop: Hop) => boolean,
): Path | undefined {
  const { hops, hopIn, hopOut, nodeCount, sell, buy } = problem;
  const open = [...hops.keys()].filter((hop) => isOpen(hops[hop] as Hop));
  let labels: (Label | undefined)[] = new Array(nodeCount);
  labels[sell] = { amount: input, hop: -1, before: undefined };
  let best: Label | undefined;
  for (let length = 1; length <= MAX_HOPS; length++) {
    const next: (Label | undefined)[] = new Array(nodeCount);
    for (const hop of open) {
      const before = labels[hopIn[hop] ?? 0];
      const head = hopOut[hop] ?? 0;
      if (before === undefined) continue;
      const amount = throughHop(hops[hop] as Hop, before.amount);
      if (amount <= (next[head]?.amount ?? 0) || hasMet(problem, before, head, hop)) continue;
      next[head] = { amount, hop, before };
    }
    const arrived = next[buy];
    if (arrived !== undefined && arrived.amount > (best?.amount ?? 0)) best = arrived;
    labels = next;
  }
  const trail: Hop[] = [];
  for (let label = best; label?.before !== undefined; label = label.before) {
    trail.push(hops[label.hop] as Hop);
  }
  return pathOfHops(trail.reverse());
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
