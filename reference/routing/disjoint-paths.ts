import type { Address } from '../domain/address.ts';
import type { Arc, Network } from './network.ts';
import type { Path } from './path.ts';
import { curveOf, inputDownTo, outputOf, waterfill } from './path-curve.ts';

/** Paths that share no pool, and how much each takes; floats, for search. */
export type PathSplit = {
  readonly paths: readonly Path[];
  readonly inputs: readonly number[];
  readonly output: number;
  /** Output per input at which all of them stand; 0 if they cannot take the whole input. */
  readonly price: number;
};

/** How many paths a split has at most. */
const MAX_SPLIT = 8;

/** How many paths are tried as the first of a split. */
const MAX_FIRST = 64;

/**
 * Returns a split of `input` among pool-disjoint paths whose marginal prices are
 * equal, found by adding the path that gains most at that price, then by
 * replacing one at a time. `undefined` without paths.
 *
 * Finding the best set of disjoint paths is hard; this one is a local optimum.
 */
export function splitAmongPaths(paths: readonly Path[], input: number): PathSplit | undefined {
  const first = bestAlone(paths.slice(0, MAX_FIRST), input);
  if (first === undefined) return undefined;
  let best = grow(paths, splitOf([first], input), input);
  for (let isBetter = true; isBetter && best.paths.length > 1; ) {
    isBetter = false;
    for (const dropped of best.paths) {
      const others = best.paths.filter((path) => path !== dropped);
      const candidates = paths.filter((path) => path !== dropped);
      const other = grow(candidates, splitOf(others, input), input);
      if (takes(other) >= takes(best) && other.output > best.output * (1 + 1e-12)) {
        best = other;
        isBetter = true;
        break;
      }
    }
  }
  return best;
}

/** Returns the path that gives most for the whole of `input`. */
export function bestAlone(paths: readonly Path[], input: number): Path | undefined {
  let best: Path | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const path of paths) {
    const output = outputOf(curveOf(path), input);
    if (output > most) {
      best = path;
      most = output;
    }
  }
  return best;
}

/** Returns the network of a split: each path holds its own intermediate tokens. */
export function networkOfPaths({ paths, inputs }: Pick<PathSplit, 'paths' | 'inputs'>): Network {
  const total = inputs.reduce((sum, part) => sum + part, 0);
  const kept = paths
    .map((path, index) => ({ path, weight: weightOf((inputs[index] ?? 0) / total) }))
    .filter(({ weight }) => weight > 0n);
  const last = kept.reduce((sum, { path }) => sum + path.hops.length - 1, 1);
  const nodes: Arc[][] = Array.from({ length: last + 1 }, () => []);
  let next = 1;
  for (const { path, weight } of kept) {
    let node = 0;
    for (const [index, hop] of path.hops.entries()) {
      const to = index === path.hops.length - 1 ? last : next++;
      nodes[node]?.push({ hop, to, weight });
      node = to;
    }
  }
  return { nodes };
}

/** A part below this is not worth a swap: it gains less than its square. */
const LEAST_PART = 1e-6;

/** Returns a share from 0 to 1 as a whole number; 0 if it is not worth a swap. */
export function weightOf(part: number): bigint {
  return part < LEAST_PART ? 0n : BigInt(Math.round(part * 2 ** 48));
}

function splitOf(paths: readonly Path[], input: number): PathSplit {
  const curves = paths.map(curveOf);
  const { inputs, price } = waterfill(curves, input);
  const output = curves.reduce((sum, curve, i) => sum + outputOf(curve, inputs[i] ?? 0), 0);
  return { paths, inputs, output, price };
}

function takes({ inputs }: PathSplit): number {
  return inputs.reduce((sum, part) => sum + part, 0);
}

/** Adds, while it gains, the path that earns most at the price reached. */
function grow(paths: readonly Path[], start: PathSplit, input: number): PathSplit {
  let split = start;
  while (split.paths.length < MAX_SPLIT) {
    const used = new Set(split.paths.flatMap(({ hops }) => hops.map(({ pool }) => pool)));
    let best: Path | undefined;
    let most = 0;
    for (const path of paths) {
      if (split.price > 0 && Math.exp(path.logPrice) <= split.price) break;
      const surplus = surplusAt(path, split.price, input);
      if (surplus <= most || path.hops.some(({ pool }) => used.has(pool))) continue;
      if (closesCycle(split.paths, path)) continue;
      best = path;
      most = surplus;
    }
    if (best === undefined) return split;
    split = splitOf([...split.paths, best], input);
  }
  return split;
}

/** What a path gains over selling at `price` until its own price has come down to it. */
function surplusAt(path: Path, price: number, input: number): number {
  const curve = curveOf(path);
  if (price === 0) return outputOf(curve, input);
  const down = inputDownTo(curve, price);
  return outputOf(curve, down) - price * down;
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
