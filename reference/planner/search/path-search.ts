import { createRecentCache } from '../domain/recent-cache.ts';
import { rememberLast } from '../domain/remember-last.ts';
import { bestAcyclicFlow } from '../dual/acyclic-flow.ts';
import { flowProblemOf } from '../dual/flow-problem.ts';
import type { Path } from '../graph/path.ts';
import { hopsBetween, type Pair, pairAmong } from '../graph/pool-graph.ts';
import { splitAmongPaths } from '../paths/disjoint-paths.ts';
import { candidatesAtCost, candidatesFor } from '../paths/path-candidates.ts';
import { areOfOneKind } from '../paths/path-kinds.ts';
import { LEAST_GAIN, networkOfSplit, type PathSplit, splitOf } from '../paths/path-split.ts';
import type { FlowSearch } from './flow-search.ts';
import { costBy } from './net-of-gas.ts';
import type { Search, Split, Supports } from './search.ts';

/** How often an exact output is split anew for what it costs. */
const MAX_ROUNDS = 4;

/** For how many amounts, and for how many of each doubling, candidates are kept. */
const MAX_KEPT = 16;
const STEPS = 2;

type PathSearch = Pick<Search, 'split' | 'inputFor' | 'frugal'>;

/**
 * Returns the search among sets of paths that share no pool, for which that among
 * all flows tells what is left unsplit, and the least input of an output. It finds
 * local optima, of which more pools may bring on a worse one: so it also looks
 * without those of Uniswap V4, which crowd out paths through pools of one kind.
 */
export function searchPaths(pair: Pair, isOneFamily: boolean, flows: FlowSearch): PathSearch {
  const all = searchAmong(pair, isOneFamily, flows);
  const plain = pair.hops.filter(({ pool }) => pool.family !== 'singleton');
  const hops = plain.length < pair.hops.length ? hopsBetween(plain, pair) : [];
  if (hops.length === 0) return all;
  const without = searchAmong(pairAmong(pair, hops), isOneFamily, flows);
  return {
    split: (amount) => {
      const [own, other] = [all.split(amount), without.split(amount)];
      const isBetter = own && other?.network && !(own.network && own.output >= other.output);
      return isBetter ? { ...other, supports: own.supports } : own;
    },
    frugal: (amount, fees) => [...all.frugal(amount, fees), ...without.frugal(amount, fees)],
    inputFor: (amount) => {
      const found = [all, without].flatMap((search) => search.inputFor(amount) ?? []);
      return found.length === 0 ? undefined : Math.min(...found);
    },
  };
}

function searchAmong(
  pair: Pair,
  isOneFamily: boolean,
  { unsplit, inputFor: leastInput }: FlowSearch,
): PathSearch {
  const kept = createRecentCache<readonly Path[]>(MAX_KEPT);
  /** Those for the next amount of a few, so that amounts near to one another share them. */
  const candidates = (amount: number): readonly Path[] => {
    const step = Math.ceil(Math.log2(Math.max(1, amount)) * STEPS);
    const known = kept.get(`${step}`);
    if (known !== undefined) return known;
    const paths = candidatesFor(pair, 2 ** (step / STEPS), isOneFamily);
    kept.set(`${step}`, paths);
    return paths;
  };
  return {
    split: (amount) => {
      const alone = unsplit(amount);
      if (alone && (!isOneFamily || areOfOneKind(pair, alone.path))) return alone.split;
      const split = splitAmongPaths(candidates(amount), { kind: 'input', amount });
      const supports = rememberLast(
        () => bestAcyclicFlow(flowProblemOf(pair), amount, pair).supports,
      );
      return split && splitOfPaths(split, supports);
    },
    frugal: (amount, fees) => {
      const costOf = costBy(fees, pair);
      const paths = candidatesAtCost(pair, candidates(amount), amount, isOneFamily, costOf);
      const { maxSwaps } = fees;
      const split = splitAmongPaths(paths, { kind: 'input', amount }, { costOf, maxSwaps });
      return split === undefined || split.root === 0 ? [] : [networkOfSplit(split)];
    },
    inputFor: (amount) => {
      const goal = { kind: 'output', amount } as const;
      const least = leastInput(amount);
      if (least === undefined) return undefined;
      let split = splitAmongPaths(candidates(least), goal);
      // What is best for the input may be other paths, which then need less of it.
      for (let round = 0; round < MAX_ROUNDS && split !== undefined; round++) {
        const { input } = split;
        const other = splitAmongPaths(candidates(input), { kind: 'input', amount: input });
        if (other === undefined || other.output <= amount * (1 + LEAST_GAIN)) break;
        split = splitOf(other.paths, goal);
      }
      return split === undefined || split.root === 0 ? undefined : split.input;
    },
  };
}

/** Returns what becomes of paths as a network, if they take the whole input. */
export function splitOfPaths(split: PathSplit, supports: Supports): Split {
  const { root, output } = split;
  return { output, isProven: false, supports, ...(root > 0 && { network: networkOfSplit(split) }) };
}
