import { keptWith } from '../domain/kept-with.ts';
import { rememberLast } from '../domain/remember-last.ts';
import type { Support } from '../dual/acyclic-flow.ts';
import type { Network } from '../graph/network.ts';
import type { Path } from '../graph/path.ts';
import type { RoutingRequest, SwapKind, Topology } from '../graph/plan.ts';
import { type Pair, pairOf } from '../graph/pool-graph.ts';
import { cheapestPathsFor } from '../paths/cheapest-path.ts';
import { singlePathsFor } from '../paths/path-candidates.ts';
import { hasPath } from '../paths/path-kinds.ts';
import { networkOfPath } from '../paths/path-split.ts';
import { throughHop } from '../paths/path-walk.ts';
import type { PoolMarket } from '../prices/pool-market.ts';
import { type FlowSearch, searchFlows } from './flow-search.ts';
import type { Fees } from './net-of-gas.ts';
import { searchPaths } from './path-search.ts';

/** A split of an amount as a network; or, without one, that pools on the way take less. */
export type Split = {
  readonly network?: Network;
  /** What it yields in floats, not below what whole numbers leave of it; 0 if none was found. */
  readonly output: number;
  /** Whether it is meant to come near to what bounds any plan, so that others compete if it does not. */
  readonly isProven: boolean;
  /** Lines of which the highest bounds what any plan yields; none if that is not known. */
  readonly supports: Supports;
};

/** A path alone, and what it yields of the whole input in floats, not below what whole numbers leave of it; 0 if it takes less. */
export type Single = Pick<Path, 'hops'> & { readonly network: Network; readonly output: number };

/** Works out lines above what plans yield, when they are asked for. */
export type Supports = () => readonly Support[];

/** How networks for requests of one pair are found; amounts are base units, as floats. */
export type Search = {
  /** Upper bounds of what the pair's pools take and give. */
  readonly capacityIn: number;
  readonly capacityOut: number;
  /** Output per input of an infinitesimal trade along the best path. */
  readonly bestPrice: number;
  /** The input that at this price buys all there is. */
  readonly depth: number;
  /** The network that splits best; equal for equal inputs, whatever was asked before. */
  readonly split: (input: number) => Split | undefined;
  /** About the least input whose best split yields `output`; `undefined` if none does. */
  readonly inputFor: (output: number) => number | undefined;
  /** The paths that do best alone with an input, but those that are known to give no more than `least`. */
  readonly singles: (input: number, least: number) => Single[];
  /** The paths that alone buy an output for the least. */
  readonly cheapest: (output: bigint) => Network[];
  /** Networks of which one is the best that is found once its fees are paid. */
  readonly frugal: (input: number, fees: Fees) => Network[];
};

/** Returns the search that fits the request's router; `undefined` if no path connects the tokens. */
export function searchFor(market: PoolMarket, request: RoutingRequest): Search | undefined {
  const { sellToken, buyToken, constraints, swapKind, maxSolutions } = request;
  const kept = pairOf(market, constraints.sources, sellToken, buyToken);
  // A pair of its own, so that nothing is kept for requests without a limit.
  const pair = maxSolutions === undefined ? kept : { ...kept, maxSolutions };
  return SEARCHES[constraints.topology][swapKind](pair);
}

const graphSearch = keptWith((pair: Pair): (Search & FlowSearch) | undefined => {
  if (pair.hops.length === 0) return undefined;
  const reach = reachOf(pair);
  return remembering({
    ...reach,
    ...searchFlows(pair, reach),
    singles: (input, least) =>
      singlePathsFor(pair, input, false, { isWhole: true, least }).map((path) => ({
        hops: path.hops,
        network: networkOfPath(path),
        output: path.hops.reduce((carried, hop) => throughHop(hop, carried), input),
      })),
    cheapest: (output) => cheapestPathsFor(pair, output, false).map(networkOfPath),
  });
});
const pathSearch = keptWith((pair: Pair) => searchAmongPaths(pair, false));
const oneFamilySearch = keptWith((pair: Pair) => searchAmongPaths(pair, true));

const SEARCHES: Readonly<Record<Topology, Record<SwapKind, (pair: Pair) => Search | undefined>>> = {
  graph: { 'exact-input': graphSearch, 'exact-output': graphSearch },
  paths: { 'exact-input': pathSearch, 'exact-output': oneFamilySearch },
};

function searchAmongPaths(pair: Pair, isOneFamily: boolean): Search | undefined {
  const search = graphSearch(pair);
  if (search === undefined || !hasPath(pair, isOneFamily)) return undefined;
  return remembering({
    ...search,
    ...searchPaths(pair, isOneFamily, search),
    cheapest: (output) => cheapestPathsFor(pair, output, isOneFamily).map(networkOfPath),
  });
}

/** Returns the search so that it finds nothing anew for the input that it was last asked for, which amounts next to one another share. */
function remembering<Found extends Search>(search: Found): Found {
  const frugal = rememberLast((input: number, ...[perGas, swapGas, maxSwaps]: FeeTerms) =>
    search.frugal(input, { perGas, swapGas, maxSwaps }),
  );
  return {
    ...search,
    split: rememberLast(search.split),
    singles: rememberingSingles(search.singles),
    frugal: (input, { perGas, swapGas, maxSwaps }) => frugal(input, perGas, swapGas, maxSwaps),
  };
}

/** By how much less than asked is looked for, so that what amounts next to one another ask for is among it. */
const SPARE = 1e-3;

function rememberingSingles(singles: Search['singles']): Search['singles'] {
  let last:
    | { readonly input: number; readonly least: number; readonly found: Single[] }
    | undefined;
  return (input, least) => {
    if (last?.input !== input || least < last.least) {
      const lower = Math.max(0, least * (1 - SPARE));
      last = { input, least: lower, found: singles(input, lower) };
    }
    return last.found;
  };
}

type FeeTerms = readonly [perGas: number, swapGas: Fees['swapGas'], maxSwaps: number];

function reachOf({ hops, sellToken, buyToken }: Pair) {
  let capacityIn = 0;
  let capacityOut = 0;
  for (const hop of hops) {
    if (hop.tokenIn === sellToken) capacityIn += hop.capacityIn;
    if (hop.tokenOut === buyToken) capacityOut += hop.capacityOut;
  }
  return { capacityIn, capacityOut };
}
