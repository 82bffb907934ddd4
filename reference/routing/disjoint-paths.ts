import type { Address } from '../domain/address.ts';
import type { Path } from './path.ts';
import { curveOf, inputDownTo, outputOf } from './path-curve.ts';
import { isBarelyMoved, isBetter, type PathSplit, splitOf, splitOfOne } from './path-split.ts';
import { inputThrough, outputThrough } from './path-walk.ts';
import type { Goal } from './waterfill.ts';

/** How many paths a split has at most. */
const MAX_SPLIT = 8;

/**
 * Returns a split among pool-disjoint paths whose marginal prices are equal: the
 * one that yields most for an input, or takes least for an output. Found by
 * adding the path that gains most at that price, then by replacing one at a
 * time. `undefined` without paths.
 *
 * Finding the best set of disjoint paths is hard; this one is a local optimum.
 */
export function splitAmongPaths(paths: readonly Path[], goal: Goal): PathSplit | undefined {
  let best: PathSplit | undefined;
  for (const first of firsts(paths, goal)) {
    const alone = splitOfOne(first, goal);
    if (isBarelyMoved(alone)) return alone;
    const split = improve(paths, grow(paths, alone, goal), goal);
    if (best === undefined || isBetter(split, best, goal)) best = split;
  }
  return best;
}

/** The paths to start from: the best that can do the whole, the best with as much as it can take, and that of the best price. */
function firsts(paths: readonly Path[], { kind, amount }: Goal): Path[] {
  const most = kind === 'input' ? amount : Number.POSITIVE_INFINITY;
  const any = bestOf(paths, (path) => outputThrough(path, most).amount);
  const whole = bestOf(paths, (path) => {
    if (kind === 'output') return -inputThrough(path, amount).amount;
    const output = outputThrough(path, amount);
    return output.isWhole ? output.amount : Number.NEGATIVE_INFINITY;
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
function grow(paths: readonly Path[], start: PathSplit, goal: Goal): PathSplit {
  let split = start;
  while (split.paths.length < MAX_SPLIT) {
    const { root } = split;
    const logPrice = 2 * Math.log(root);
    const used = new Set(split.paths.flatMap(({ hops }) => hops.map(({ pool }) => pool)));
    let best: Path | undefined;
    let most = 0;
    for (const path of paths) {
      if (path.logPrice <= logPrice) break;
      if (path.hops.some(({ pool }) => used.has(pool))) continue;
      const surplus = surplusAt(path, root, goal);
      if (surplus <= most || closesCycle(split.paths, path)) continue;
      best = path;
      most = surplus;
    }
    if (best === undefined) return split;
    split = splitOf([...split.paths, best], goal);
  }
  return split;
}

/** Replaces paths one at a time while that gains. */
function improve(paths: readonly Path[], start: PathSplit, goal: Goal): PathSplit {
  let best = start;
  for (let hasGained = true; hasGained && best.paths.length > 1; ) {
    hasGained = false;
    for (const dropped of best.paths) {
      const others = best.paths.filter((path) => path !== dropped);
      const candidates = paths.filter((path) => path !== dropped);
      const other = grow(candidates, splitOf(others, goal), goal);
      if (!isBetter(other, best, goal)) continue;
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
