import { memoizeLast } from '../domain/memoize-last.ts';
import { type FlowProblem, flowProblemOf } from '../dual/flow-problem.ts';
import type { SwapGas, SwapKind, Topology } from '../graph/plan.ts';
import type { Subgraph } from '../graph/subgraph.ts';
import { cheapestPathsFor, singlePathsFor } from '../paths/best-path.ts';
import { throughArc } from '../paths/path-amounts.ts';
import { hasPath } from '../paths/path-kinds.ts';
import { networkOfPath } from '../paths/path-split.ts';
import { createFlowSearch, type FlowSearch } from './flow-search.ts';
import { createPathSearch } from './path-search.ts';
import type { Search, SinglePath } from './search.ts';

type GraphSearch = Search & FlowSearch;

/** The searches for one token pair, each created when it is first needed. */
export class PairSearches {
  readonly problem: FlowProblem;
  readonly #maxSolutions: number | undefined;
  #graph: GraphSearch | undefined;
  readonly #paths = new Map<SwapKind, Search>();

  /** @param maxSolutions - Maximum number of dual problems that branch and bound solves for an input. */
  constructor(subgraph: Subgraph, maxSolutions?: number) {
    this.problem = flowProblemOf(subgraph);
    this.#maxSolutions = maxSolutions;
  }

  /** Returns the search for a router; `undefined` if no path that it can settle connects the tokens. */
  searchFor(topology: Topology, swapKind: SwapKind): Search | undefined {
    if (this.problem.arcs.length === 0) return undefined;
    this.#graph ??= createGraphSearch(this.problem, this.#maxSolutions);
    if (topology === 'graph') return this.#graph;
    const known = this.#paths.get(swapKind);
    const isOneFamily = swapKind === 'exact-output';
    if (known !== undefined || !hasPath(this.problem.subgraph, isOneFamily)) return known;
    const search = createDisjointSearch(this.problem, isOneFamily, this.#graph, this.#maxSolutions);
    this.#paths.set(swapKind, search);
    return search;
  }
}

function createGraphSearch(problem: FlowProblem, maxSolutions: number | undefined): GraphSearch {
  const { arcs, sellToken, buyToken } = problem.subgraph;
  let [capacityIn, capacityOut] = [0, 0];
  for (const arc of arcs) {
    if (arc.tokenIn === sellToken) capacityIn += arc.capacityIn;
    if (arc.tokenOut === buyToken) capacityOut += arc.capacityOut;
  }
  const capacities = { capacityIn, capacityOut };
  return memoizingLast({
    ...capacities,
    ...createFlowSearch(problem, capacities, maxSolutions),
    singlePaths: (input, worthOver) =>
      singlePathsFor(problem, input, false, { isWhole: true, worthOver }).map((path) => ({
        arcs: path.arcs,
        network: networkOfPath(path),
        output: path.arcs.reduce((amount, arc) => throughArc(arc, amount), input),
      })),
    cheapestPaths: (output) => cheapestPathsFor(problem, output, false).map(networkOfPath),
  });
}

function createDisjointSearch(
  problem: FlowProblem,
  isOneFamily: boolean,
  graph: GraphSearch,
  maxSolutions: number | undefined,
): Search {
  return memoizingLast({
    ...graph,
    ...createPathSearch(problem, isOneFamily, graph, maxSolutions),
    cheapestPaths: (output) => cheapestPathsFor(problem, output, isOneFamily).map(networkOfPath),
  });
}

/** Returns the search with its last results memoized: consecutive, nearly equal amounts are searched as one input. */
function memoizingLast<Found extends Search>(search: Found): Found {
  const netOfCosts = memoizeLast(
    (input: number, perGas: number, swapGas: SwapGas, maxSwaps: number) =>
      search.netOfCosts(input, { perGas, swapGas, maxSwaps }),
  );
  return {
    ...search,
    split: memoizeLast(search.split),
    singlePaths: memoizingSinglePaths(search.singlePaths),
    netOfCosts: (input, { perGas, swapGas, maxSwaps }) =>
      netOfCosts(input, perGas, swapGas, maxSwaps),
  };
}

/** Relative margin of the minimum worth of single paths, so that the result includes those for nearly equal amounts. */
const WORTH_MARGIN = 1e-3;

function memoizingSinglePaths(singlePaths: Search['singlePaths']): Search['singlePaths'] {
  let last:
    | { readonly input: number; readonly worthOver: number; readonly found: SinglePath[] }
    | undefined;
  return (input, worthOver) => {
    if (last?.input !== input || worthOver < last.worthOver) {
      const lower = Math.max(0, worthOver * (1 - WORTH_MARGIN));
      last = { input, worthOver: lower, found: singlePaths(input, lower) };
    }
    return last.found;
  };
}
