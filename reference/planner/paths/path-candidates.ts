import { at } from '../domain/at.ts';
import { bestAcyclicFlow } from '../dual/branch-and-bound.ts';
import type { FlowProblem } from '../dual/flow-problem.ts';
import type { Arc } from '../graph/arc.ts';
import { bestPathFor, type CostOf, type PathOptions, singlePathsFor } from './best-path.ts';
import { Path } from './path.ts';
import { type PathKind, pathKindsOf } from './path-kinds.ts';

/**
 * For each of these fractions of the input, the search finds the best path. The smallest fraction
 * finds the path with the best marginal rate.
 */
const SINGLE_PATH_PARTS = [1, 1 / 8, 1e-6];

/** For each of these fractions of the input, the search finds disjoint paths one after another. */
const DISJOINT_PATH_PARTS = [1, 1 / 2, 1 / 4, 1 / 16];
const MAX_DISJOINT = 4;

/**
 * Returns candidate paths for a split of about `input`, best marginal rate first: the best paths
 * for fractions of the input, both single and disjoint from each other, and paths along the best
 * acyclic flow.
 */
export function candidatesFor(
  problem: FlowProblem,
  input: number,
  isOneFamily: boolean,
): readonly Path[] {
  const { used, flows } = bestAcyclicFlow(problem, input);
  const found = pathKindsOf(problem, isOneFamily).flatMap((isOf) => {
    const best = DISJOINT_PATH_PARTS.flatMap((part) => disjointPaths(problem, input * part, isOf));
    return used.length === 0 ? best : [...best, ...pathsAlong(problem, flows.shares, isOf)];
  });
  const singles = SINGLE_PATH_PARTS.flatMap((part) =>
    singlePathsFor(problem, input * part, isOneFamily, { isWhole: false, worthOver: 0 }),
  );
  return distinct([...singles, ...found]);
}

/**
 * Returns the candidates, plus the disjoint paths that yield the most for the input, net of costs.
 */
export function candidatesAtCost(
  problem: FlowProblem,
  candidates: readonly Path[],
  input: number,
  isOneFamily: boolean,
  costOf: CostOf,
): readonly Path[] {
  const found = pathKindsOf(problem, isOneFamily).flatMap((isOf) =>
    disjointPaths(problem, input, isOf, { costOf }),
  );
  return distinct([...candidates, ...found]);
}

function distinct(paths: readonly Path[]): readonly Path[] {
  const numbers = new Map<Arc, number>();
  const numberOf = (arc: Arc) => {
    const number = numbers.get(arc) ?? numbers.size;
    numbers.set(arc, number);
    return number;
  };
  const byArcs = new Map(paths.map((path) => [path.arcs.map(numberOf).join(), path]));
  return [...byArcs.values()].sort((a, b) => b.logRate - a.logRate);
}

/** Each path is the best for the input among those that share no pool with the previous paths. */
function disjointPaths(
  problem: FlowProblem,
  input: number,
  isOf: PathKind,
  options?: PathOptions,
): Path[] {
  const paths: Path[] = [];
  const taken = new Set<unknown>();
  while (paths.length < MAX_DISJOINT) {
    const isOpen = (arc: Arc) => isOf(arc) && !taken.has(arc.pool);
    const path = bestPathFor(problem, input, isOpen, options);
    if (path === undefined) break;
    for (const { pool } of path.arcs) taken.add(pool);
    paths.push(path);
  }
  return paths;
}

/** Follows the largest remaining share from each node. */
function pathsAlong(
  { arcs, tails, heads, nodeCount, sell, buy }: FlowProblem,
  shares: Float64Array,
  isOf: PathKind,
): Path[] {
  const left = Float64Array.from(shares, (share, arc) => (isOf(arcs[arc] as Arc) ? share : 0));
  const paths: Path[] = [];
  while (paths.length < MAX_DISJOINT) {
    const trail: number[] = [];
    for (let node = sell; node !== buy && trail.length < nodeCount; ) {
      let largest = -1;
      let share = 0;
      for (let arc = 0; arc < left.length; arc++) {
        if (tails[arc] !== node || at(left, arc) <= share) continue;
        largest = arc;
        share = at(left, arc);
      }
      if (largest < 0) break;
      trail.push(largest);
      node = heads[largest] ?? buy;
    }
    if (trail.length === 0) break;
    for (const arc of trail) left[arc] = 0;
    if (heads[trail.at(-1) ?? 0] === buy)
      paths.push(new Path(trail.map((arc) => arcs[arc] as Arc)));
  }
  return paths;
}
