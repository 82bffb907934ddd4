import type { Address } from '../domain/address.ts';
import type { Market } from '../market/market.ts';
import { networkOfPaths, splitAmongPaths } from './disjoint-paths.ts';
import { type FlowPlan, planFlow } from './flow-network.ts';
import { flowProblemOf } from './flow-problem.ts';
import type { Network } from './network.ts';
import { bestPathBetween, type Path, pathsBetween } from './path.ts';
import { curveOf, outputOf } from './path-curve.ts';
import type { TradeRequest } from './plan.ts';
import { hopsBetween, type PoolGraph, poolGraphOf, remember } from './pool-graph.ts';

/** A split of an amount, in floats. */
export type Split = {
  readonly network: Network;
  readonly output: number;
  /** Output per input of a little more; 0 where no more can be taken. */
  readonly price: number;
};

/** How networks for one request are found; inputs are base units of the sell token, as floats. */
export type Search = {
  /** Upper bounds of what the pair's pools take and give. */
  readonly capacityIn: number;
  readonly capacityOut: number;
  /** Output per input of an infinitesimal trade along the best path. */
  readonly bestPrice: () => number;
  /** The network that splits best; equal for equal inputs, whatever was asked before. */
  readonly split: (input: number) => Split | undefined;
  /** The same but for rounding, and sooner when the last input was near. */
  readonly estimate: (input: number) => Split | undefined;
  /** The paths that do best alone. */
  readonly singles: (input: number) => Network[];
  /** Networks that may yet do where the best split and the best paths cannot. */
  readonly spares: (input: number) => Network[];
};

/** How many single paths compete. */
const MAX_SINGLES = 16;

/** How many of them may go through the same tokens. */
const MAX_PARALLEL = 2;

/** Returns the search that fits the request's router; `undefined` if no path connects the tokens. */
export function searchFor(market: Market, request: TradeRequest): Search | undefined {
  const { sellToken, buyToken, capability, trade } = request;
  const graph = poolGraphOf(market, capability.sources);
  const ofOneFamily = capability.shape === 'paths' && trade.kind === 'exact-output';
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
  const paths = () => pathsBetween(graph, sellToken, buyToken, ofOneFamily);
  const amongPaths = searchPaths(paths);
  const isGraph = capability.shape === 'graph';
  if (!isGraph && paths().length === 0) return undefined;
  return {
    ...reach,
    ...(isGraph ? searchFlows(graph, sellToken, buyToken) : amongPaths),
    singles: (input) => bestSingles(paths(), input).map(networkOfPath),
    spares: (input) => [isGraph ? amongPaths.split(input)?.network : undefined].filter(isNetwork),
  };
}

type SplitSearch = Pick<Search, 'bestPrice' | 'split' | 'estimate'>;

function searchPaths(paths: () => readonly Path[]): SplitSearch {
  const split = (input: number): Split | undefined => {
    const found = splitAmongPaths(paths(), input);
    return found && { ...found, network: networkOfPaths(found) };
  };
  return { bestPrice: () => Math.exp(paths()[0]?.logPrice ?? 0), split, estimate: split };
}

function searchFlows(graph: PoolGraph, sellToken: Address, buyToken: Address): SplitSearch {
  const best = bestPathBetween(graph, sellToken, buyToken);
  const problem = flowProblemOf(graph, sellToken, buyToken);
  const solve = (input: number, start?: Float64Array): FlowPlan | Split | undefined =>
    splitOfOne(best, input, LEAST_IMPACT) ??
    planFlow(problem, input, start) ??
    splitOfOne(best, input, 1);
  let last: Float64Array | undefined;
  return {
    bestPrice: () => Math.exp(best?.logPrice ?? 0),
    split: (input) => {
      const found = solve(input);
      return found && 'solution' in found ? splitOfFlow(found) : found;
    },
    estimate: (input) => {
      const found = solve(input, last);
      if (found === undefined || !('solution' in found)) return found;
      last = found.solution.logValues;
      return splitOfFlow(found);
    },
  };
}

/** A path whose price an input moves by less than this is best left unsplit. */
const LEAST_IMPACT = 2e-7;

function splitOfOne(path: Path | undefined, input: number, mostImpact: number): Split | undefined {
  if (path === undefined) return undefined;
  const price = Math.exp(path.logPrice);
  const output = outputOf(curveOf(path), input);
  if (output < price * input * (1 - mostImpact)) return undefined;
  return { network: networkOfPath(path), output, price };
}

function splitOfFlow({ network, solution }: FlowPlan): Split {
  const { output, values } = solution;
  return { network, output, price: values[0] ?? 0 };
}

function isNetwork(network: Network | undefined): network is Network {
  return network !== undefined;
}

function networkOfPath(path: Path): Network {
  return networkOfPaths({ paths: [path], inputs: [1] });
}

/** The best paths alone; few of each sequence of tokens, since parallel pools round alike. */
function bestSingles(paths: readonly Path[], input: number): Path[] {
  const taken = new Map<string, number>();
  return paths
    .map((path) => ({ path, output: outputOf(curveOf(path), input) }))
    .sort((a, b) => b.output - a.output)
    .filter(({ path }) => {
      const tokens = path.hops.map((hop) => hop.tokenOut).join();
      const count = taken.get(tokens) ?? 0;
      taken.set(tokens, count + 1);
      return count < MAX_PARALLEL;
    })
    .slice(0, MAX_SINGLES)
    .map(({ path }) => path);
}
