import type { Market } from '../market/market.ts';
import { networkOfPaths, splitAmongPaths } from './disjoint-paths.ts';
import { type FlowPlan, planFlow } from './flow-network.ts';
import { flowProblemOf } from './flow-problem.ts';
import type { Network } from './network.ts';
import { type Path, pathsBetween } from './path.ts';
import { curveOf, outputOf } from './path-curve.ts';
import type { TradeRequest } from './plan.ts';
import { hopsBetween, poolGraphOf, remember } from './pool-graph.ts';

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
const MAX_SINGLES = 6;

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
  if (ofOneFamily && paths().length === 0) return undefined;

  const splitPaths = (input: number): Split | undefined => {
    const split = splitAmongPaths(paths(), input);
    return split && { ...split, network: networkOfPaths(split) };
  };
  const problem = () => flowProblemOf(graph, sellToken, buyToken);
  let last: FlowPlan | undefined;
  const estimateFlow = (input: number): Split | undefined => {
    last = planFlow(problem(), input, last?.solution.logValues);
    return last && splitOfFlow(last);
  };
  const splitFlow = (input: number): Split | undefined => {
    const plan = planFlow(problem(), input);
    return plan && splitOfFlow(plan);
  };
  const isGraph = capability.shape === 'graph';
  return {
    capacityIn: reach.capacityIn,
    capacityOut: reach.capacityOut,
    split: isGraph ? splitFlow : splitPaths,
    estimate: isGraph ? estimateFlow : splitPaths,
    singles: (input) => bestSingles(paths(), input).map(networkOfPath),
    spares: (input) => [isGraph ? splitPaths(input)?.network : undefined].filter(isNetwork),
  };
}

function splitOfFlow({ network, solution }: FlowPlan): Split {
  const { output, logValues } = solution;
  return { network, output, price: Math.exp(logValues[0] ?? 0) };
}

function isNetwork(network: Network | undefined): network is Network {
  return network !== undefined;
}

function networkOfPath(path: Path): Network {
  return networkOfPaths({ paths: [path], inputs: [1] });
}

function bestSingles(paths: readonly Path[], input: number): Path[] {
  return paths
    .slice(0, 256)
    .map((path) => ({ path, output: outputOf(curveOf(path), input) }))
    .sort((a, b) => b.output - a.output)
    .slice(0, MAX_SINGLES)
    .map(({ path }) => path);
}
