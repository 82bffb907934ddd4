import { keptWith } from '../domain/kept-with.ts';
import { type Arc, LEAST_PART, type Network } from '../graph/network.ts';
import type { Path } from '../graph/path.ts';
import { capacityOf, curveOf, inputOf, outputOf, rootAt } from './path-curve.ts';
import { type Goal, waterfill } from './waterfill.ts';

/** Paths that share no pool, and how much each takes; floats, for search. */
export type PathSplit = {
  readonly paths: readonly Path[];
  readonly inputs: readonly number[];
  /** What goes in and comes out in all. */
  readonly input: number;
  readonly output: number;
  /** Square root of the price at which all of them stand; 0 if they take or give less than asked. */
  readonly root: number;
};

/** Returns how the paths, all of them, share the amount. */
export function splitOf(paths: readonly Path[], goal: Goal): PathSplit {
  const curves = paths.map(curveOf);
  const { inputs, root } = waterfill(curves, goal);
  const output = curves.reduce((sum, curve, i) => sum + outputOf(curve, inputs[i] ?? 0), 0);
  const input = inputs.reduce((sum, part) => sum + part, 0);
  return { paths, inputs, input, output, root };
}

/** Returns the split that gives one path the whole, or as much as it can take. */
export function splitOfOne(path: Path, { kind, amount }: Goal): PathSplit {
  const curve = curveOf(path);
  const capacity = capacityOf(curve);
  const wanted = kind === 'input' ? amount : inputOf(curve, amount);
  const input = Math.min(wanted, capacity);
  const root = wanted < capacity ? rootAt(curve, input) : 0;
  return { paths: [path], inputs: [input], input, output: outputOf(curve, input), root };
}

/** A price that falls by less than this part is hardly moved. */
const LEAST_IMPACT = 2e-7;

/** Tells whether the whole amount hardly moves the one path's price: it is best left unsplit. */
export function isBarelyMoved({ paths, input, output, root }: PathSplit): boolean {
  const price = Math.exp(paths[0]?.logPrice ?? 0);
  return root > 0 && output >= price * input * (1 - LEAST_IMPACT);
}

/** A split must be better than another by this part to replace it. */
export const LEAST_GAIN = 1e-12;

/** Tells whether a split does better: meets the goal, yields more for an input, takes less for an output. */
export function isBetter(one: PathSplit, other: PathSplit, { kind }: Goal): boolean {
  if (one.root === 0 || other.root === 0) {
    if (one.root !== other.root) return one.root > 0;
    // Neither meets the goal: the one that comes nearer.
    return one[kind] > other[kind] * (1 + LEAST_GAIN);
  }
  return kind === 'input'
    ? one.output > other.output * (1 + LEAST_GAIN)
    : one.input < other.input * (1 - LEAST_GAIN);
}

export const networkOfPath = keptWith((path: Path) =>
  networkOfPaths({ paths: [path], inputs: [1], input: 1 }),
);

/** Returns the network of a split: each path holds its own intermediate tokens. */
export function networkOfSplit(split: PathSplit): Network {
  const [path] = split.paths;
  const isOne = path !== undefined && split.paths.length === 1;
  return isOne ? networkOfPath(path) : networkOfPaths(split);
}

function networkOfPaths({
  paths,
  inputs,
  input,
}: Pick<PathSplit, 'paths' | 'inputs' | 'input'>): Network {
  const kept = paths
    .map((path, index) => ({ path, part: (inputs[index] ?? 0) / input }))
    .filter(({ part }) => part >= LEAST_PART)
    .sort((a, b) => b.part - a.part);
  const last = kept.reduce((sum, { path }) => sum + path.hops.length - 1, 1);
  const nodes: Arc[][] = Array.from({ length: last + 1 }, () => []);
  let next = 1;
  for (const { path, part } of kept) {
    const weight = BigInt(Math.round(part * 2 ** 48));
    let node = 0;
    for (const [index, hop] of path.hops.entries()) {
      const to = index === path.hops.length - 1 ? last : next++;
      nodes[node]?.push({ hop, to, weight });
      node = to;
    }
  }
  return { nodes };
}
