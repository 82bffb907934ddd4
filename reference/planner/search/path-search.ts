import { LruCache } from '../domain/lru-cache.ts';
import { bestAcyclicFlow } from '../dual/branch-and-bound.ts';
import { type FlowProblem, restrictedTo } from '../dual/flow-problem.ts';
import { cheapestPathsFor } from '../paths/best-path.ts';
import { splitAmongPaths } from '../paths/disjoint-split.ts';
import type { Path } from '../paths/path.ts';
import { candidatesAtCost, candidatesFor } from '../paths/path-candidates.ts';
import { isOfOneKind } from '../paths/path-kinds.ts';
import { MIN_SPLIT_GAIN, networkOfPath, networkOfSplit, splitOf } from '../paths/path-split.ts';
import { type FlowSearch, splitOfPaths } from './flow-search.ts';
import { arcCostsOf } from './net-of-gas.ts';
import type { Search } from './search.ts';

/**
 * Searches among sets of disjoint paths. The results are local optima, so more pools may lead to a
 * worse result. Because pools of Uniswap V4 can displace paths that stay within one family, a
 * second search excludes these pools.
 * @param flows - Determines which inputs are not split, and the smallest input for an output.
 */
export function createPathSearch(
  problem: FlowProblem,
  isOneFamily: boolean,
  flows: FlowSearch,
  maxSolutions?: number,
): Search {
  const all = searchAmong(problem, isOneFamily, flows, maxSolutions);
  const { arcs } = problem;
  const plain = arcs.filter(({ pool }) => pool.family !== 'singleton');
  const plainProblem = plain.length < arcs.length ? restrictedTo(problem, plain) : undefined;
  if (plainProblem === undefined) return all;
  const without = searchAmong(plainProblem, isOneFamily, flows);
  return {
    ...all,
    split: (amount) => {
      const [own, other] = [all.split(amount), without.split(amount)];
      const isBetter = own && other?.network && !(own.network && own.output >= other.output);
      return isBetter ? { ...other, boundLines: own.boundLines } : own;
    },
    netOfCosts: (amount, costs) => [
      ...all.netOfCosts(amount, costs),
      ...without.netOfCosts(amount, costs),
    ],
    inputFor: (amount) => {
      const found = [all, without].flatMap((search) => search.inputFor(amount) ?? []);
      return found.length === 0 ? undefined : Math.min(...found);
    },
  };
}

const MAX_CANDIDATE_SETS = 16;
/** Number of steps per octave. Amounts in the same step share candidate paths. */
const CANDIDATE_STEPS_PER_OCTAVE = 2;

/** Without these rounds, mispriced purchases yield the same plans, but take 1.5 times as long. */
const MAX_SPLIT_ROUNDS = 4;

function searchAmong(
  problem: FlowProblem,
  isOneFamily: boolean,
  flows: FlowSearch,
  maxSolutions?: number,
): Search {
  const candidateSets = new LruCache<readonly Path[]>(MAX_CANDIDATE_SETS);
  const candidates = (amount: number): readonly Path[] => {
    const step = Math.ceil(Math.log2(Math.max(1, amount)) * CANDIDATE_STEPS_PER_OCTAVE);
    return candidateSets.getOrMake(`${step}`, () =>
      candidatesFor(problem, 2 ** (step / CANDIDATE_STEPS_PER_OCTAVE), isOneFamily),
    );
  };
  return {
    ...flows,
    split: (amount) => {
      const alone = flows.unsplit(amount);
      if (alone && (!isOneFamily || isOfOneKind(problem, alone.path))) return alone.split;
      const split = splitAmongPaths(candidates(amount), { kind: 'input', amount });
      const boundLines = () => bestAcyclicFlow(problem, amount, { maxSolutions }).boundLines;
      return split && splitOfPaths(split, boundLines);
    },
    cheapestPaths: (output) => cheapestPathsFor(problem, output, isOneFamily).map(networkOfPath),
    netOfCosts: (amount, costs) => {
      const costOf = arcCostsOf(costs, problem);
      const paths = candidatesAtCost(problem, candidates(amount), amount, isOneFamily, costOf);
      const { maxSwaps } = costs;
      const split = splitAmongPaths(paths, { kind: 'input', amount }, { costOf, maxSwaps });
      return split === undefined || split.root === 0 ? [] : [networkOfSplit(split)];
    },
    inputFor: (amount) => {
      const goal = { kind: 'output', amount } as const;
      const minInput = flows.inputFor(amount);
      if (minInput === undefined) return undefined;
      let split = splitAmongPaths(candidates(minInput), goal);
      // Other paths may be better for the new input, and then need even less.
      for (let splits = 0; splits < MAX_SPLIT_ROUNDS && split !== undefined; splits++) {
        const { input } = split;
        const other = splitAmongPaths(candidates(input), { kind: 'input', amount: input });
        if (other === undefined || other.output <= amount * (1 + MIN_SPLIT_GAIN)) break;
        split = splitOf(other.paths, goal);
      }
      return split === undefined || split.root === 0 ? undefined : split.input;
    },
  };
}
