import { at } from '../domain/at.ts';
import { type ArcFlows, arcFlowsAt, throughArcs } from '../dual/arc-flows.ts';
import { type AcyclicFlow, bestAcyclicFlow, type FlowOptions } from '../dual/branch-and-bound.ts';
import { type FlowProblem, restrictedTo } from '../dual/flow-problem.ts';
import type { Arc } from '../graph/arc.ts';
import type { Network } from '../graph/network.ts';
import { bestPathFor, type CostOf } from '../paths/best-path.ts';
import { exceedsLiquidity, networkOfFlow } from './flow-network.ts';
import type { SwapCosts } from './search.ts';

/** A swap uses at least this much gas, whatever its pool family. */
const MIN_SWAP_GAS = 60_000;

/** Returns a function for the cost of using an arc. */
export function arcCostsOf({ perGas, swapGas }: SwapCosts, { subgraph }: FlowProblem): CostOf {
  return (arc, amount) =>
    perGas * (arc.gasFor(amount) + (arc.tail === subgraph.sell ? swapGas.first : swapGas.later));
}

type Choice = {
  readonly problem: FlowProblem;
  readonly closed: ReadonlySet<number>;
  readonly flow: AcyclicFlow;
  readonly costs: readonly number[];
  /** Output net of costs; -Infinity above the maximum number of swaps. */
  readonly net: number;
};

/**
 * Returns networks for `input`, including the best one found net of swap costs. Each swap has a
 * fixed cost, so the problem is combinatorial. The search starts from the best flow, which uses the
 * arcs `inUse`. In each round, it drops a third of the swaps that gain less than they cost, and
 * solves the rest again. After that, it adds or drops single arcs and paths as long as the flow
 * improves.
 */
export function networksNetOfCosts(
  problem: FlowProblem,
  input: number,
  costs: SwapCosts,
  inUse: readonly Arc[],
): Network[] {
  const costOf = arcCostsOf(costs, problem);
  const task = { problem, input, maxSwaps: costs.maxSwaps, costOf };
  const whole = chooseAmong(task, inUse);
  const pruned = whole && prune(task, whole);
  const path = bestPathFor(problem, input, () => true, {
    costOf,
    minCost: costs.perGas * MIN_SWAP_GAS,
    worthOver: pruned?.net,
  });
  const alone = path && chooseAmong(task, path.arcs);
  const [first, ...others] = [pruned, alone]
    .filter((choice) => choice !== undefined)
    .sort((a, b) => b.net - a.net);
  if (first === undefined) return [];
  const best = inUse.length === 1 ? first : improve(task, first, path ? [path.arcs] : []);
  return [best, ...others].map((choice) => networkOfFlow(choice.problem, choice.flow));
}

type Task = {
  readonly problem: FlowProblem;
  readonly input: number;
  readonly maxSwaps: number;
  readonly costOf: CostOf;
};

/** Returns the choice for a problem; `undefined` if its arcs do not take the whole input. */
function choose(
  { input, costOf, maxSwaps }: Task,
  problem: FlowProblem,
  options: FlowOptions = {},
): Choice | undefined {
  const found = bestAcyclicFlow(problem, input, options);
  if (exceedsLiquidity(problem, found.flows, found.used)) return undefined;
  const used = throughArcs(problem, found.used);
  if (used.length === 0) return undefined;
  const { inputs } = found.flows;
  const costs = used.map((arc) => costOf(problem.arcs[arc] as Arc, at(inputs, arc)));
  const net = costs.reduce((left, cost) => left - cost, found.output);
  return {
    problem,
    closed: options.closed ?? new Set(),
    flow: { ...found, used },
    costs,
    net: used.length > maxSwaps ? Number.NEGATIVE_INFINITY : net,
  };
}

function chooseAmong(task: Task, arcs: readonly Arc[]): Choice | undefined {
  const problem = restrictedTo(task.problem, arcs);
  return problem && choose(task, problem);
}

function drop(
  task: Task,
  { problem, closed, flow }: Choice,
  groups: readonly Group[],
): Choice | undefined {
  const dropped = groups.flatMap(({ arcs }) => [...arcs]);
  return choose(task, problem, {
    closed: new Set([...closed, ...dropped]),
    start: flow.logPrices,
  });
}

/** Fraction of the losing swaps that is dropped in each round. */
const PRUNED_PART = 1 / 3;

function prune(task: Task, start: Choice): Choice {
  let best = start;
  for (let index: Choice | undefined = start; index !== undefined; ) {
    if (index.net > best.net) best = index;
    const groups = groupsOf(index);
    const losing = groups.filter(({ gain }) => gain < 0).length;
    const excess = index.flow.used.length - task.maxSwaps;
    const count = Math.max(Math.ceil(losing * PRUNED_PART), excess);
    if (count <= 0 || groups.length === 0) break;
    index = drop(task, index, groups.slice(0, count)) ?? drop(task, index, groups.slice(0, 1));
  }
  return best;
}

const MAX_CHANGES = 24;
/**
 * For a flow with many swaps, tries fewer changes, because each change is slow and matters little.
 */
const MAX_CHANGED_SWAPS = 120;

/**
 * Makes one improving change after another until none is found. Without these changes, 1% of trades
 * lose up to 2e-4.
 */
function improve(task: Task, start: Choice, paths: readonly (readonly Arc[])[]): Choice {
  let best = start;
  let left = Math.min(MAX_CHANGES, MAX_CHANGED_SWAPS / start.flow.used.length);
  const findBetter = (): Choice | undefined => {
    const own = best.flow.used.map((arc) => best.problem.arcs[arc] as Arc);
    const losing = groupsOf(best).filter(({ gain }) => gain < 0);
    const additions = [...gainingArcs(task, best).map((arc) => [arc]), ...paths];
    const changes = [
      ...losing.map((group) => () => drop(task, best, [group])),
      ...additions.map((added) => () => chooseAmong(task, [...new Set([...own, ...added])])),
    ];
    for (const change of changes) {
      if (left-- <= 0) return undefined;
      const next = change();
      if (next !== undefined && next.net > best.net) return next;
    }
    return undefined;
  };
  for (let next = findBetter(); next !== undefined; next = findBetter()) best = next;
  return best;
}

function gainingArcs({ problem, input, costOf }: Task, { problem: own, flow }: Choice): Arc[] {
  const logPrices = new Float64Array(problem.nodeCount).fill(Number.NaN);
  for (const [node, token] of own.tokens.entries()) {
    const index = problem.tokens.indexOf(token);
    const logPrice = at(flow.logPrices, node) + at(own.referenceLogPrice, node);
    logPrices[index] = logPrice - at(problem.referenceLogPrice, index);
  }
  const { profits, inputs } = arcFlowsAt(problem, input, logPrices);
  const taken = new Set(flow.used.map((arc) => own.arcs[arc]?.pool));
  const gains = problem.arcs.flatMap((arc, index) => {
    const profit = at(profits, index);
    if (!(profit > 0) || taken.has(arc.pool)) return [];
    const gain = profit - costOf(arc, at(inputs, index));
    return gain > 0 ? [{ arc, gain }] : [];
  });
  return gains.sort((a, b) => b.gain - a.gain).map(({ arc }) => arc);
}

/** Used arcs that are useless without each other, with their total gain net of costs. */
type Group = { readonly arcs: ReadonlySet<number>; readonly gain: number };

/** Returns the groups in order of gain, smallest first. Omits a group of all arcs. */
function groupsOf({ problem: { tails, heads, sell, buy }, flow, costs }: Choice): Group[] {
  const { used } = flow;
  const { profits }: ArcFlows = flow.flows;
  const costOf = new Map(used.map((arc, index) => [arc, costs[index] as number]));
  const groups = used.flatMap((first): Group[] => {
    const arcs = new Set([first]);
    const follow = (node: number, ends: Int32Array, starts: Int32Array): void => {
      if (used.some((arc) => ends[arc] === node && !arcs.has(arc))) return;
      for (const arc of used) if (starts[arc] === node) arcs.add(arc);
    };
    // The loop also visits the arcs that it adds.
    for (const arc of arcs) {
      const [tail, head] = [at(tails, arc), at(heads, arc)];
      if (head !== buy) follow(head, heads, tails);
      if (tail !== sell) follow(tail, tails, heads);
    }
    if (arcs.size === used.length) return [];
    let gain = 0;
    for (const arc of arcs) gain += at(profits, arc) - (costOf.get(arc) ?? 0);
    return [{ arcs, gain }];
  });
  return groups.sort((a, b) => a.gain - b.gain);
}
