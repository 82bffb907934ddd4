import type { Market } from '../market/market.ts';
import { searchFlows } from './flow-search.ts';
import type { Network } from './network.ts';
import { pathsBetween } from './path.ts';
import { bestSingles, searchPaths } from './path-search.ts';
import type { RoutingRequest } from './plan.ts';
import { hopsBetween, poolGraphOf, remember } from './pool-graph.ts';

/** A split of an amount as a network, or that the pools take less. */
export type Split =
  | {
      readonly kind: 'network';
      readonly network: Network;
      /** What it yields in floats, not below what whole numbers leave of it. */
      readonly output: number;
    }
  | { readonly kind: 'exhausted' };

/** How networks for one request are found; amounts are base units, as floats. */
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
  /** The paths that do best alone. */
  readonly singles: (input: number) => Network[];
};

/** Returns the search that fits the request's router; `undefined` if no path connects the tokens. */
export function searchFor(market: Market, request: RoutingRequest): Search | undefined {
  const { sellToken, buyToken, constraints, swapKind } = request;
  const graph = poolGraphOf(market, constraints.sources);
  const reach = remember(graph, `reach ${sellToken} ${buyToken}`, () => {
    const hops = hopsBetween(graph, sellToken, buyToken);
    const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
    return {
      isConnected: hops.length > 0,
      capacityIn: sum(hops.filter((hop) => hop.tokenIn === sellToken).map((hop) => hop.capacityIn)),
      capacityOut: sum(
        hops.filter((hop) => hop.tokenOut === buyToken).map((hop) => hop.capacityOut),
      ),
    };
  });
  if (!reach.isConnected) return undefined;
  const ofOneFamily = constraints.topology === 'paths' && swapKind === 'exact-output';
  const paths = () => pathsBetween(graph, sellToken, buyToken, ofOneFamily);
  const isGraph = constraints.topology === 'graph';
  if (!isGraph && paths().length === 0) return undefined;
  const search = isGraph
    ? searchFlows(graph, sellToken, buyToken, reach.capacityIn)
    : searchPaths(paths());
  return {
    ...reach,
    ...search,
    depth: reach.capacityOut / search.bestPrice,
    singles: (input) => bestSingles(paths(), input),
  };
}
