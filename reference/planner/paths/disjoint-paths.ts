import type { Address } from '../domain/address.ts';
import type { Path } from '../graph/path.ts';
import type { CostOf } from './path-candidates.ts';
import { curveOf, inputDownTo, outputOf } from './path-curve.ts';
import { isBarelyMoved, isBetter, type PathSplit, splitOf, splitOfOne } from './path-split.ts';
import { inputThrough, outputThrough, throughHop } from './path-walk.ts';
import type { Goal } from './waterfill.ts';

/** How many paths a split has at most. */
const MAX_SPLIT = 8;

/**
 * Returns a split among pool-disjoint paths whose marginal prices are equal: the
 * one that yields most for an input, or takes least for an output. Found by
 * adding the path that gains most at that price, then by replacing one at a
 * time. `undefined` without paths. With exact input what the hops cost is taken
 * off the output.
 *
 * Finding the best set of disjoint paths is hard; this one is a local optimum.
 */
export function splitAmongPaths(
  paths: readonly Path[],
  goal: Goal,
  { costOf = () => 0, maxSwaps = Number.POSITIVE_INFINITY }: PathCosts = {},
): PathSplit | undefined {
  const task = { goal, costOf, maxSwaps };
  let best: PathSplit | undefined;
  for (const first of firsts(paths, task)) {
    const alone = splitOfOne(first, goal);
    const split = isBarelyMoved(alone) ? alone : improve(paths, grow(paths, alone, task), task);
    if (best === undefined || isBetterNet(split, best, task)) best = split;
  }
  return best;
}

/** What hops cost, and how many there may be; default nothing, and any number. */
export type PathCosts = { readonly costOf?: CostOf; readonly maxSwaps?: number };

type Task = { readonly goal: Goal } & Required<PathCosts>;

function costOfPath({ hops }: Path, input: number, { costOf }: Task): number {
  let [cost, left] = [0, input];
  for (const hop of hops) {
    cost += costOf(hop, left);
    left = throughHop(hop, left);
  }
  return cost;
}

function netOf(split: PathSplit, task: Task): PathSplit {
  const costs = split.paths.map((path, at) => costOfPath(path, split.inputs[at] ?? 0, task));
  return { ...split, output: costs.reduce((left, cost) => left - cost, split.output) };
}

function isBetterNet(one: PathSplit, other: PathSplit, task: Task): boolean {
  return isBetter(netOf(one, task), netOf(other, task), task.goal);
}

/** The paths to start from: the best that can do the whole, the best with as much as it can take, and that of the best price. */
function firsts(all: readonly Path[], task: Task): Path[] {
  const { kind, amount } = task.goal;
  const paths = all.filter(({ hops }) => hops.length <= task.maxSwaps);
  const most = kind === 'input' ? amount : Number.POSITIVE_INFINITY;
  const any = bestOf(paths, (path) => outputThrough(path, most).amount);
  const whole = bestOf(paths, (path) => {
    if (kind === 'output') return -inputThrough(path, amount).amount;
    const output = outputThrough(path, amount);
    return output.isWhole
      ? output.amount - costOfPath(path, amount, task)
      : Number.NEGATIVE_INFINITY;
  });
  return [...new Set([whole, any, paths[0]])].filter((path) => path !== undefined);
}

/** The path of the most merit; none if all are without. */
function bestOf(paths: readonly Path[], meritOf: (path: Path) => number): Path | undefined {
  let best: Path | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const path of paths) {
    const merit = meritOf(path);
    if (merit > most) [best, most] = [path, merit];
  }
  return best;
}

/** Adds, while it gains, the path that earns most at the price reached. */
function grow(paths: readonly Path[], start: PathSplit, task: Task): PathSplit {
  let best = start;
  let split = start;
  while (split.paths.length < MAX_SPLIT) {
    const added = mostGaining(paths, split, task);
    if (added === undefined) break;
    split = splitOf([...split.paths, added], task.goal);
    if (isBetterNet(split, best, task)) best = split;
  }
  return best;
}

function mostGaining(
  paths: readonly Path[],
  { paths: own, root }: PathSplit,
  task: Task,
): Path | undefined {
  const logPrice = 2 * Math.log(root);
  const used = new Set(own.flatMap(({ hops }) => hops.map(({ pool }) => pool)));
  const room = task.maxSwaps - used.size;
  let best: Path | undefined;
  let most = 0;
  for (const path of paths) {
    if (path.logPrice <= logPrice) break;
    if (path.hops.length > room || path.hops.some(({ pool }) => used.has(pool))) continue;
    const surplus = surplusAt(path, root, task.goal);
    if (surplus <= most) continue;
    const gain = surplus - costOfPath(path, 0, task);
    if (gain <= most || closesCycle(own, path)) continue;
    best = path;
    most = gain;
  }
  return best;
}

/** Replaces paths one at a time while that gains. */
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

/** What a path gains over selling at the price until its own price has come down to it. */
function surplusAt(path: Path, root: number, { kind, amount }: Goal): number {
  const curve = curveOf(path);
  if (root === 0) return outputOf(curve, kind === 'input' ? amount : Number.POSITIVE_INFINITY);
  const down = inputDownTo(curve, root);
  return outputOf(curve, down) - root ** 2 * down;
}

function closesCycle(paths: readonly Path[], added: Path): boolean {
  const next = new Map<Address, Address[]>();
  for (const { hops } of [...paths, added]) {
    for (const { tokenIn, tokenOut } of hops) {
      const known = next.get(tokenIn);
      if (known === undefined) next.set(tokenIn, [tokenOut]);
      else known.push(tokenOut);
    }
  }
  const reaches = (from: Address, goal: Address, seen: Set<Address>): boolean =>
    (next.get(from) ?? []).some((token) => {
      if (token === goal) return true;
      if (seen.has(token)) return false;
      seen.add(token);
      return reaches(token, goal, seen);
    });
  return added.hops.some(({ tokenIn }) => reaches(tokenIn, tokenIn, new Set()));
}
