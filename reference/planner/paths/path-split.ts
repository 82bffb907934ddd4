import { type Link, MIN_SHARE, type Network } from '../graph/network.ts';
import type { Path } from './path.ts';
import { capacityOf, inputOf, outputOf, rootAt } from './path-curve.ts';
import { type Goal, waterfill } from './waterfill.ts';

/** Paths that share no pool, with the input of each path. Floats, for search only. */
export type PathSplit = {
  readonly paths: readonly Path[];
  readonly inputs: readonly number[];
  /** Sums of the paths' inputs and outputs. */
  readonly input: number;
  readonly output: number;
  /**
   * Square root of the paths' common marginal rate; 0 if all paths together take or give less than
   * the goal.
   */
  readonly root: number;
};

/** Returns the split of the amount among all paths. */
export function splitOf(paths: readonly Path[], goal: Goal): PathSplit {
  const curves = paths.map(({ curve }) => curve);
  const { inputs, root } = waterfill(curves, goal);
  const output = curves.reduce((sum, curve, i) => sum + outputOf(curve, inputs[i] as number), 0);
  const input = inputs.reduce((sum, part) => sum + part, 0);
  return { paths, inputs, input, output, root };
}

/** Returns the split in which one path takes the whole amount, or its maximum. */
export function splitOfOne(path: Path, { kind, amount }: Goal): PathSplit {
  const { curve } = path;
  const capacity = capacityOf(curve);
  const wanted = kind === 'input' ? amount : inputOf(curve, amount);
  const input = Math.min(wanted, capacity);
  const root = wanted < capacity ? rootAt(curve, input) : 0;
  return { paths: [path], inputs: [input], input, output: outputOf(curve, input), root };
}

/** If a path's average rate falls by at most this fraction, the trade is not split. */
const MAX_UNSPLIT_IMPACT = 2e-7;

/**
 * Returns whether the only path's rate hardly falls, even for the whole amount. Splitting is then
 * not worthwhile.
 */
export function isBarelyMoved({ paths, input, output, root }: PathSplit): boolean {
  const rate = Math.exp(paths[0]?.logRate ?? 0);
  return root > 0 && output >= rate * input * (1 - MAX_UNSPLIT_IMPACT);
}

/** Minimum relative gain for which a split replaces another. */
export const MIN_SPLIT_GAIN = 1e-12;

/**
 * Returns whether a split is better than another: it reaches the goal when the other does not,
 * yields more for an input, or needs less for an output.
 */
export function isBetter(one: PathSplit, other: PathSplit, { kind }: Goal): boolean {
  if (one.root === 0 || other.root === 0) {
    if (one.root !== other.root) return one.root > 0;
    // If neither split reaches the goal, the closer one is better.
    return one[kind] > other[kind] * (1 + MIN_SPLIT_GAIN);
  }
  return kind === 'input'
    ? one.output > other.output * (1 + MIN_SPLIT_GAIN)
    : one.input < other.input * (1 - MIN_SPLIT_GAIN);
}

export function networkOfPath(path: Path): Network {
  return networkOfSplit({ paths: [path], inputs: [1], input: 1 });
}

/** Returns the network of a split. Each path has its own intermediate nodes. */
export function networkOfSplit({
  paths,
  inputs,
  input,
}: Pick<PathSplit, 'paths' | 'inputs' | 'input'>): Network {
  const isOne = paths.length === 1;
  const chosen = paths
    .map((path, index) => ({ path, share: isOne ? 1 : (inputs[index] as number) / input }))
    .filter(({ share }) => share >= MIN_SHARE)
    .sort((a, b) => b.share - a.share);
  const last = chosen.reduce((sum, { path }) => sum + path.arcs.length - 1, 1);
  const nodes: Link[][] = Array.from({ length: last + 1 }, () => []);
  let next = 1;
  for (const { path, share } of chosen) {
    const weight = BigInt(Math.round(share * 2 ** 48));
    let node = 0;
    for (const [index, arc] of path.arcs.entries()) {
      const to = index === path.arcs.length - 1 ? last : next++;
      nodes[node]?.push({ arc, to, weight });
      node = to;
    }
  }
  return { nodes };
}
