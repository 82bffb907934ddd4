import { reachableFrom } from '../graph/reach.ts';
import type { CostOf } from './best-path.ts';
import type { Path } from './path.ts';
import { capacityOf, inputDownTo, inputOf, outputOf } from './path-curve.ts';
import { isBarelyMoved, isBetter, type PathSplit, splitOf, splitOfOne } from './path-split.ts';
import type { Goal } from './waterfill.ts';

const MAX_PATHS = 8;

type PathCosts = { readonly costOf?: CostOf; readonly maxSwaps?: number };

type Task = { readonly goal: Goal } & Required<PathCosts>;

/**
 * Returns a split among pool-disjoint paths at equal marginal rates; `undefined` without paths.
 * Maximizes the yield of an input, net of its arcs' costs, or minimizes the input for an output.
 * Because finding the best set of disjoint paths is NP-hard, the result is a local optimum: the
 * search adds the path that gains most at the current rate, one at a time, then replaces single
 * paths while that helps.
 */
export function splitAmongPaths(
  paths: readonly Path[],
  goal: Goal,
  { costOf = () => 0, maxSwaps = Number.POSITIVE_INFINITY }: PathCosts = {},
): PathSplit | undefined {
  const task = { goal, costOf, maxSwaps };
  let best: PathSplit | undefined;
  for (const first of firstPaths(paths, task)) {
    const alone = splitOfOne(first, goal);
    const split = isBarelyMoved(alone) ? alone : improve(paths, grow(paths, alone, task), task);
    if (best === undefined || isBetterNet(split, best, task)) best = split;
  }
  return best;
}

function costOfPath({ arcs }: Path, input: number, { costOf }: Task): number {
  let [cost, left] = [0, input];
  for (const arc of arcs) {
    cost += costOf(arc, left);
    left = arc.outputFor(left);
  }
  return cost;
}

function netOf(split: PathSplit, task: Task): PathSplit {
  const costs = split.paths.map((path, index) =>
    costOfPath(path, split.inputs[index] as number, task),
  );
  return { ...split, output: costs.reduce((left, cost) => left - cost, split.output) };
}

function isBetterNet(one: PathSplit, other: PathSplit, task: Task): boolean {
  return isBetter(netOf(one, task), netOf(other, task), task.goal);
}

/**
 * Returns three start paths: the best for the whole amount, the best for the largest amount that a
 * single path takes, and the path with the best rate.
 */
function firstPaths(all: readonly Path[], task: Task): Path[] {
  const { kind, amount } = task.goal;
  const paths = all.filter(({ arcs }) => arcs.length <= task.maxSwaps);
  const input = kind === 'input' ? amount : Number.POSITIVE_INFINITY;
  const partial = maxBy(paths, ({ curve }) => outputOf(curve, input));
  const whole = maxBy(paths, (path) => {
    const { curve } = path;
    if (kind === 'output') return -inputOf(curve, amount);
    if (amount > capacityOf(curve)) return Number.NEGATIVE_INFINITY;
    return outputOf(curve, amount) - costOfPath(path, amount, task);
  });
  return [...new Set([whole, partial, paths[0]])].filter((path) => path !== undefined);
}

function maxBy(paths: readonly Path[], scoreOf: (path: Path) => number): Path | undefined {
  let best: Path | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (const path of paths) {
    const score = scoreOf(path);
    if (score > highest) [best, highest] = [path, score];
  }
  return best;
}

function grow(paths: readonly Path[], start: PathSplit, task: Task): PathSplit {
  let best = start;
  let split = start;
  while (split.paths.length < MAX_PATHS) {
    const added = pathOfLargestGain(paths, split, task);
    if (added === undefined) break;
    split = splitOf([...split.paths, added], task.goal);
    if (isBetterNet(split, best, task)) best = split;
  }
  return best;
}

function pathOfLargestGain(
  paths: readonly Path[],
  { paths: own, root }: PathSplit,
  task: Task,
): Path | undefined {
  const logRate = 2 * Math.log(root);
  const used = new Set(own.flatMap(({ arcs }) => arcs.map(({ pool }) => pool)));
  const swapsLeft = task.maxSwaps - used.size;
  let best: Path | undefined;
  let highest = 0;
  for (const path of paths) {
    if (path.logRate <= logRate) break;
    if (path.arcs.length > swapsLeft || path.arcs.some(({ pool }) => used.has(pool))) continue;
    const surplus = surplusAt(path, root, task.goal);
    if (surplus <= highest) continue;
    const gain = surplus - costOfPath(path, 0, task);
    if (gain <= highest || closesCycle(own, path)) continue;
    best = path;
    highest = gain;
  }
  return best;
}

function improve(paths: readonly Path[], start: PathSplit, task: Task): PathSplit {
  let best = start;
  for (let hasGained = true; hasGained && best.paths.length > 1; ) {
    hasGained = false;
    for (const dropped of best.paths) {
      const others = best.paths.filter((path) => path !== dropped);
      const candidates = paths.filter((path) => path !== dropped);
      const other = grow(candidates, splitOf(others, task.goal), task);
      if (!isBetterNet(other, best, task)) continue;
      best = other;
      hasGained = true;
      break;
    }
  }
  return best;
}

/**
 * Returns how much a path gains if it is used until its marginal rate has fallen to the given rate.
 */
function surplusAt({ curve }: Path, root: number, { kind, amount }: Goal): number {
  if (root === 0) return outputOf(curve, kind === 'input' ? amount : Number.POSITIVE_INFINITY);
  const down = inputDownTo(curve, root);
  return outputOf(curve, down) - root ** 2 * down;
}

function closesCycle(paths: readonly Path[], added: Path): boolean {
  const arcs = [...paths, added].flatMap((path) => path.arcs);
  return added.arcs.some(({ tail, head }) => reachableFrom(arcs, head).has(tail));
}
