import { type FlowProblem, flowProblemOf } from '../dual/flow-problem.ts';
import type { SwapKind, Topology } from '../graph/plan.ts';
import type { Subgraph } from '../graph/market-graph.ts';
import { cheapestPathsFor, singlePathsFor } from '../paths/best-path.ts';
import { throughArc } from '../paths/path-amounts.ts';
import { hasPath } from '../paths/path-kinds.ts';
import { networkOfPath } from '../paths/path-split.ts';
import { createFlowSearch, type FlowSearch } from './flow-search.ts';
import { createPathSearch } from './path-search.ts';
import type { Search } from './search.ts';

type GraphSearch = Search & FlowSearch;

/** The searches for one token pair, each created on first use. */
export class PairSearches {
  readonly problem: FlowProblem;
  readonly #maxSolutions: number | undefined;
  #graph: GraphSearch | undefined;
  readonly #paths = new Map<SwapKind, Search>();

  /**
   * @param maxSolutions - Maximum number of dual problems to solve by branch and bound per input.
   */
  constructor(subgraph: Subgraph, maxSolutions?: number) {
    this.problem = flowProblemOf(subgraph);
    this.#maxSolutions = maxSolutions;
  }

  /**
   * Returns the search for a router; `undefined` if no path that the router can settle connects the
   * tokens.
   */
  searchFor(topology: Topology, swapKind: SwapKind): Search | undefined {
    if (this.problem.arcs.length === 0) return undefined;
    this.#graph ??= createGraphSearch(this.problem, this.#maxSolutions);
    if (topology === 'graph') return this.#graph;
    const known = this.#paths.get(swapKind);
    const isOneFamily = swapKind === 'exact-output';
    if (known !== undefined || !hasPath(this.problem, isOneFamily)) return known;
    const search = createDisjointSearch(this.problem, isOneFamily, this.#graph, this.#maxSolutions);
    this.#paths.set(swapKind, search);
    return search;
  }
}

function createGraphSearch(problem: FlowProblem, maxSolutions: number | undefined): GraphSearch {
  const { arcs, tails, heads, sell, buy } = problem;
  let [capacityIn, capacityOut] = [0, 0];
  for (const [index, arc] of arcs.entries()) {
    if (tails[index] === sell) capacityIn += arc.capacityIn;
    if (heads[index] === buy) capacityOut += arc.capacityOut;
  }
  const capacities = { capacityIn, capacityOut };
  return {
    ...capacities,
    ...createFlowSearch(problem, capacities, maxSolutions),
    singlePaths: (input, worthOver) =>
      singlePathsFor(problem, input, false, { isWhole: true, worthOver }).map((path) => ({
        arcs: path.arcs,
        network: networkOfPath(path),
        output: path.arcs.reduce((amount, arc) => throughArc(arc, amount), input),
      })),
    cheapestPaths: (output) => cheapestPathsFor(problem, output, false).map(networkOfPath),
  };
}

function createDisjointSearch(
  problem: FlowProblem,
  isOneFamily: boolean,
  graph: GraphSearch,
  maxSolutions: number | undefined,
): Search {
  return {
    ...graph,
    ...createPathSearch(problem, isOneFamily, graph, maxSolutions),
    cheapestPaths: (output) => cheapestPathsFor(problem, output, isOneFamily).map(networkOfPath),
  };
}
