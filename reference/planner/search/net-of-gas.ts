import { keptWith } from '../domain/kept-with.ts';
import { type AcyclicFlow, bestAcyclicFlow, type FlowOptions } from '../dual/acyclic-flow.ts';
import { throughHops } from '../dual/flow-order.ts';
import { type FlowProblem, flowProblemOf } from '../dual/flow-problem.ts';
import { hopFlowsAt } from '../dual/hop-flows.ts';
import type { Hop } from '../graph/hop.ts';
import type { Network } from '../graph/network.ts';
import type { SwapGas } from '../graph/plan.ts';
import { hopsBetween, type Pair, pairAmong } from '../graph/pool-graph.ts';
import { bestPathFor, type CostOf } from '../paths/path-candidates.ts';
import { isSpilled, networkOfFlow } from './flow-network.ts';

/** What swaps cost a plan. */
export type Fees = {
  /** Base units of the buy token for a unit of gas; 0 where gas is not counted. */
  readonly perGas: number;
  readonly swapGas: SwapGas;
  readonly maxSwaps: number;
};

/** No swap of any family takes less gas. */
const LEAST_SWAP_GAS = 60_000;

/** Gas of a hop by segment and order of magnitude, once it is known. */
const knownGas = keptWith((_: Hop) => new Map<number, number>());

/** Of amounts in one segment those within so much of an octave are taken to use the same gas. */
const STEPS = 2;

/** Returns what a hop costs for an amount: as much as for the least of its segment and magnitude. */
export function costBy({ perGas, swapGas }: Fees, { sellToken }: Pair): CostOf {
  return (hop, amount) => {
    const { inputBefore } = hop.ladder;
    const last = hop.segments.length - 1;
    let segment = 0;
    while (segment < last && (inputBefore[segment + 1] ?? 0) < amount) segment++;
    const step = Math.floor(Math.log2(Math.max(1, amount)) * STEPS);
    const key = step * hop.segments.length + segment;
    const known = knownGas(hop);
    let gas = known.get(key);
    if (gas === undefined) {
      const least = Math.max(2 ** (step / STEPS), inputBefore[segment] ?? 0);
      gas = hop.curve.gas(BigInt(Math.ceil(least)) + 1n, 0);
      known.set(key, gas);
    }
    return perGas * (gas + (hop.tokenIn === sellToken ? swapGas.first : swapGas.later));
  };
}

/** The best flow through some hops. */
type Choice = {
  readonly problem: FlowProblem;
  /** Hops that were left out. */
  readonly closed: ReadonlySet<number>;
  readonly flow: AcyclicFlow;
  /** What each hop in use costs. */
  readonly costs: readonly number[];
  /** What is left of the output; nothing is worse than too many swaps. */
  readonly net: number;
};

/**
 * Returns networks for `input` of which the best is the best that is found once
 * the gas of its swaps is paid. Each swap has a fixed cost, so that the best of
 * all is a matter of trying: swaps that gain less than they cost are left out, a
 * third of them at a time, and the rest is solved anew; then what is left is
 * bettered by single hops and paths. `inUse` are the hops of the best flow
 * regardless of gas.
 */
export function networksNetOfGas(
  pair: Pair,
  input: number,
  fees: Fees,
  inUse: readonly Hop[],
): Network[] {
  const problem = flowProblemOf(pair);
  const costOf = costBy(fees, pair);
  const task = { pair, problem, input, maxSwaps: fees.maxSwaps, costOf };
  const whole = chooseAmong(task, inUse);
  const pruned = whole && prune(task, whole);
  const path = bestPathFor(problem, input, () => true, {
    costOf,
    leastCost: fees.perGas * LEAST_SWAP_GAS,
    least: pruned?.net,
  });
  const alone = path && chooseAmong(task, path.hops);
  const [first, ...others] = [pruned, alone]
    .filter((choice) => choice !== undefined)
    .sort((a, b) => b.net - a.net);
  if (first === undefined) return [];
  const best = inUse.length === 1 ? first : improve(task, first, path ? [path.hops] : []);
  return [best, ...others].map((choice) => networkOfFlow(choice.problem, choice.flow));
}

/** What is planned, and what hops cost. */
type Task = {
  readonly pair: Pair;
  readonly problem: FlowProblem;
  readonly input: number;
  readonly maxSwaps: number;
  readonly costOf: CostOf;
};

/** Returns the best flow through the hops of a problem; `undefined` if they do not take the whole input. */
function choose(
  { input, costOf, maxSwaps }: Task,
  problem: FlowProblem,
  options: FlowOptions = {},
): Choice | undefined {
  const found = bestAcyclicFlow(problem, input, options);
  if (isSpilled(problem, found.flows, found.used)) return undefined;
  const used = throughHops(problem, found.used);
  if (used.length === 0) return undefined;
  const { inputs } = found.flows;
  const costs = used.map((hop) => costOf(problem.hops[hop] as Hop, inputs[hop] ?? 0));
  const net = costs.reduce((left, cost) => left - cost, found.output);
  return {
    problem,
    closed: options.closed ?? new Set(),
    flow: { ...found, used },
    costs,
    net: used.length > maxSwaps ? Number.NEGATIVE_INFINITY : net,
  };
}

function chooseAmong(task: Task, hops: readonly Hop[]): Choice | undefined {
  const kept = hopsBetween(hops, task.pair);
  return kept.length === 0 ? undefined : choose(task, flowProblemOf(pairAmong(task.pair, kept)));
}

/** Returns the best flow without what is dropped, and without what was not in use anyway. */
function leaveOut(
  task: Task,
  { problem, closed, flow }: Choice,
  groups: readonly Group[],
): Choice | undefined {
  const left = new Set(flow.used);
  for (const { hops } of groups) for (const hop of hops) left.delete(hop);
  const more = flow.used.filter((hop) => !left.has(hop));
  return choose(task, problem, {
    closed: new Set([...closed, ...more]),
    start: flow.logValues,
  });
}

/** Leaves out what gains less than it costs, a third at a time, while there is something. */
function prune(task: Task, start: Choice): Choice {
  let best = start;
  for (let at: Choice | undefined = start; at !== undefined; ) {
    if (at.net > best.net) best = at;
    const groups = groupsOf(at);
    const losing = groups.filter(({ gain }) => gain < 0).length;
    const excess = at.flow.used.length - task.maxSwaps;
    const count = Math.max(Math.ceil(losing / 3), excess);
    if (count <= 0 || groups.length === 0) break;
    at = leaveOut(task, at, groups.slice(0, count)) ?? leaveOut(task, at, groups.slice(0, 1));
  }
  return best;
}

/** How many changes are tried, one after another, and fewer where many hops make each slow and of little weight. */
const MAX_TRIES = 24;
const MAX_TRIED_HOPS = 120;

/** Leaves out, or lets in, what betters the choice, until nothing does. */
function improve(task: Task, start: Choice, ways: readonly (readonly Hop[])[]): Choice {
  let best = start;
  let tries = Math.min(MAX_TRIES, MAX_TRIED_HOPS / start.flow.used.length);
  const better = (): Choice | undefined => {
    const kept = hopsOf(best);
    const changes = [
      ...groupsOf(best)
        .filter(({ gain }) => gain < 0)
        .map((group) => () => leaveOut(task, best, [group])),
      ...[...gainingHops(task, best).map((hop) => [hop]), ...ways].map(
        (added) => () => chooseAmong(task, [...new Set([...kept, ...added])]),
      ),
    ];
    for (const change of changes) {
      if (tries-- <= 0) return undefined;
      const next = change();
      if (next !== undefined && next.net > best.net) return next;
    }
    return undefined;
  };
  for (let next = better(); next !== undefined; next = better()) best = next;
  return best;
}

/** Other hops between the tokens of a choice that would gain more than they cost, those that would most first. */
function gainingHops({ problem, input, costOf }: Task, { problem: own, flow }: Choice): Hop[] {
  const logValues = new Float64Array(problem.nodeCount).fill(Number.NaN);
  for (const [node, token] of own.tokens.entries()) {
    const at = problem.tokens.indexOf(token);
    const value = (flow.logValues[node] ?? 0) + (own.bestLogValue[node] ?? 0);
    logValues[at] = value - (problem.bestLogValue[at] ?? 0);
  }
  const { profits, inputs } = hopFlowsAt(problem, input, logValues);
  const taken = new Set(flow.used.map((hop) => own.hops[hop]?.pool));
  const gains = problem.hops.flatMap((hop, at) => {
    const profit = profits[at] ?? 0;
    if (!(profit > 0) || taken.has(hop.pool)) return [];
    const gain = profit - costOf(hop, inputs[at] ?? 0);
    return gain > 0 ? [{ hop, gain }] : [];
  });
  return gains.sort((a, b) => b.gain - a.gain).map(({ hop }) => hop);
}

/** Hops that are of no use without one another, and what they gain over their cost. */
type Group = { readonly hops: ReadonlySet<number>; readonly gain: number };

/** Returns of each hop in use those that would go with it, those that gain least first; none where nothing would be left. */
function groupsOf({ problem: { hopIn, hopOut, sell, buy }, flow, costs }: Choice): Group[] {
  const { used, flows } = flow;
  const costOf = new Map(used.map((hop, at) => [hop, costs[at] ?? 0]));
  const groups = used.flatMap((first): Group[] => {
    const gone = new Set([first]);
    const follow = (node: number, ends: Int32Array, starts: Int32Array): void => {
      if (used.some((hop) => ends[hop] === node && !gone.has(hop))) return;
      for (const hop of used) if (starts[hop] === node) gone.add(hop);
    };
    // Those that are added are looked at in their turn.
    for (const hop of gone) {
      const [tail, head] = [hopIn[hop] ?? 0, hopOut[hop] ?? 0];
      if (head !== buy) follow(head, hopOut, hopIn);
      if (tail !== sell) follow(tail, hopIn, hopOut);
    }
    if (gone.size === used.length) return [];
    let gain = 0;
    for (const hop of gone) gain += (flows.profits[hop] ?? 0) - (costOf.get(hop) ?? 0);
    return [{ hops: gone, gain }];
  });
  return groups.sort((a, b) => a.gain - b.gain);
}

function hopsOf({ problem: { hops }, flow: { used } }: Pick<Choice, 'problem' | 'flow'>): Hop[] {
  return used.map((hop) => hops[hop] as Hop);
}
