import type { Pool } from '../pools/families.ts';
import { solveDual } from './dual-solver.ts';
import { orderOf, thinnestEdge, throughHops, withFeeders } from './flow-order.ts';
import type { FlowProblem } from './flow-problem.ts';
import { type HopFlows, hopFlowsAt } from './hop-flows.ts';
import type { Arc, Network } from './network.ts';
import { LEAST_PART } from './path-split.ts';
import type { Split } from './search.ts';

/** How many edges may be cut before the search gives up. */
const MAX_CUTS = 16;

/**
 * Returns the network of the best flow of `input` base units. Where arbitrage in
 * the market makes the flow go round in a circle of tokens, the circle's thinnest
 * edge is forbidden and the rest solved again; so is each but the strongest of
 * several ways through one pool, since each moves the price of the others.
 * `undefined` if nothing flows. The output is the dual's bound.
 */
export function planFlow(problem: FlowProblem, input: number): Split | undefined {
  const forbidden = new Set<number>();
  let solution = solveDual(problem, input);
  for (let cuts = 0; cuts <= MAX_CUTS; cuts++) {
    const { logValues, bound } = solution;
    const flows = hopFlowsAt(problem, input, logValues, forbidden);
    const used = usedHops(problem, flows, bound);
    if (used.length === 0) return undefined;
    if (isSpilled(problem, flows, used)) return { kind: 'exhausted' };
    const order = orderOf(problem, used);
    const rivals = rivalHops(problem, flows.shares, used);
    if (order.kind === 'ordered' && rivals.length === 0) {
      const network = networkOf(problem, flows, used, order.nodes);
      return { kind: 'network', network, output: bound };
    }
    const cut =
      order.kind === 'cyclic' ? thinnestEdge(problem, flows.shares, used, order.cycle) : rivals;
    for (const hop of cut) forbidden.add(hop);
    solution = solveDual(problem, input, { start: logValues, forbidden });
  }
  return undefined;
}

/** The used hops whose pool another used hop goes through with a larger share. */
function rivalHops(
  { hops }: FlowProblem,
  shares: Float64Array,
  used: readonly number[],
): readonly number[] {
  const strongest = new Map<Pool | undefined, number>();
  for (const hop of used) {
    const best = strongest.get(hops[hop]?.pool);
    if (best === undefined || (shares[hop] ?? 0) > (shares[best] ?? 0)) {
      strongest.set(hops[hop]?.pool, hop);
    }
  }
  return used.filter((hop) => strongest.get(hops[hop]?.pool) !== hop);
}

/** A hop that earns less than this part of the output, and carries little, is not worth a swap. */
const LEAST_PROFIT = 1e-12;

/** Hops that are worth a swap, and lie on a way from sell to buy among such hops. */
function usedHops(problem: FlowProblem, { shares, profits }: HopFlows, bound: number): number[] {
  const used: number[] = [];
  for (let hop = 0; hop < shares.length; hop++) {
    const isWorth = (shares[hop] ?? 0) >= LEAST_PART || (profits[hop] ?? 0) > LEAST_PROFIT * bound;
    if (isWorth) used.push(hop);
  }
  return throughHops(problem, withFeeders(problem, shares, used));
}

/** The part of a token that may be spilled: floats are not exact. */
const MAX_SPILLED = 1e-6;

/** Tells whether a token that carries something of the trade goes where there is no liquidity. */
function isSpilled({ hopIn }: FlowProblem, { shares, spilled }: HopFlows, used: readonly number[]) {
  return used.some(
    (hop) => (shares[hop] ?? 0) >= LEAST_PART && (spilled[hopIn[hop] ?? 0] ?? 0) > MAX_SPILLED,
  );
}

/** What the ranges of a pool may round up, in base units. */
const SPARE_UNITS = 1024;

function networkOf(
  { hops, hopIn, hopOut }: FlowProblem,
  { inputs, isFixed }: HopFlows,
  used: readonly number[],
  order: readonly number[],
): Network {
  const place = new Map(order.map((node, index) => [node, index]));
  const nodes = order.map((node): Arc[] => {
    const leaving = used
      .filter((hop) => hopIn[hop] === node)
      .sort((a, b) => (inputs[b] ?? 0) - (inputs[a] ?? 0));
    const total = leaving.reduce((sum, hop) => sum + (inputs[hop] ?? 0), 0);
    return leaving.flatMap((index): Arc[] => {
      const hop = hops[index];
      if (hop === undefined) return [];
      const to = place.get(hopOut[index] ?? 1) ?? order.length - 1;
      const input = inputs[index] ?? 0;
      const weight = BigInt(Math.max(1, Math.round((input / total) * 2 ** 48)));
      if (isFixed[index] === 0) return [{ hop, to, weight }];
      // A full pool is offered more than floats know it to take: each of its ranges rounds up.
      const spare = input < hop.capacityIn * (1 - 1e-12) ? 0 : 1e-6 * input + SPARE_UNITS;
      return [{ hop, to, weight, fixed: BigInt(Math.round(input + spare)) }];
    });
  });
  return { nodes };
}
