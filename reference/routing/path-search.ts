import { splitAmongPaths } from './disjoint-paths.ts';
import type { Network } from './network.ts';
import type { Path } from './path.ts';
import {
  LEAST_GAIN,
  networkOfPath,
  networkOfSplit,
  type PathSplit,
  splitOf,
} from './path-split.ts';
import { outputThrough } from './path-walk.ts';
import type { Search, Split } from './search.ts';

/** How often an exact output is split anew for what it costs. */
const MAX_ROUNDS = 4;

/** Returns the search among sets of paths that share no pool. */
export function searchPaths(
  paths: readonly Path[],
): Pick<Search, 'bestPrice' | 'split' | 'inputFor'> {
  return {
    bestPrice: Math.exp(paths[0]?.logPrice ?? 0),
    split: (amount) => {
      const split = splitAmongPaths(paths, { kind: 'input', amount });
      return split && splitOfPaths(split);
    },
    inputFor: (amount) => {
      const goal = { kind: 'output', amount } as const;
      let split = splitAmongPaths(paths, goal);
      // What is best for the input may be other paths, which then need less of it.
      for (let round = 0; round < MAX_ROUNDS && split !== undefined; round++) {
        const other = splitAmongPaths(paths, { kind: 'input', amount: split.input });
        if (other === undefined || other.output <= amount * (1 + LEAST_GAIN)) break;
        split = splitOf(other.paths, goal);
      }
      return split === undefined || split.root === 0 ? undefined : split.input;
    },
  };
}

/** Returns the network of paths that take the whole input; else that they are exhausted. */
export function splitOfPaths(split: PathSplit): Split {
  if (split.root === 0) return { kind: 'exhausted' };
  return { kind: 'network', network: networkOfSplit(split), output: split.output };
}

/** How many single paths compete. */
const MAX_SINGLES = 16;

/** How many of them may go through the same tokens. */
const MAX_PARALLEL = 2;

/** Returns the networks of the best paths alone; few of each sequence of tokens, since parallel pools round alike. */
export function bestSingles(paths: readonly Path[], input: number): Network[] {
  const taken = new Map<string, number>();
  return paths
    .map((path) => ({ path, output: outputThrough(path, input).amount }))
    .sort((a, b) => b.output - a.output)
    .filter(({ path }) => {
      const tokens = path.hops.map((hop) => hop.tokenOut).join();
      const count = taken.get(tokens) ?? 0;
      taken.set(tokens, count + 1);
      return count < MAX_PARALLEL;
    })
    .slice(0, MAX_SINGLES)
    .map(({ path }) => networkOfPath(path));
}
