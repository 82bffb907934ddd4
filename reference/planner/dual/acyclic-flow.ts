import { type Branch, branchOf, type Ceiling, isPlan } from './branch.ts';
import { type Part, partingOf } from './branching.ts';
import { limitsOf, SPARE } from './flow-limits.ts';
import { type FlowProblem, priceOf } from './flow-problem.ts';
import type { HopFlows } from './hop-flows.ts';
import { noPrecedence } from './order.ts';
import { type Look, lookAround, round } from './rounding.ts';

/**
 * A line above what plans yield, at prices at which pools trade for themselves:
 * `profit`, what they gain, and `price` for each base unit sold. Where circles of
 * trades pay, what pools may gain is limited by the input: it holds `upTo` so much.
 */
export type Support = { readonly price: number; readonly profit: number; readonly upTo: number };

/** The best flow that is found without a circle, and how far from best it may be. */
export type AcyclicFlow = {
  readonly flows: HopFlows;
  readonly used: readonly number[];
  readonly logValues: Float64Array;
  /** What it yields, in floats. */
  readonly output: number;
  /** Infinite for each hop that its order of the tokens forbids; unset where the best flow of all is a plan. */
  readonly limits: Float64Array | undefined;
  /** One for each part of the orders in which tokens may be traded, nearly always one for all: the highest is above any plan. */
  readonly supports: readonly Support[];
};

/** Which hops are left out, `logValues` of a solution near by, and how long to look. */
export type FlowOptions = {
  readonly closed?: ReadonlySet<number>;
  readonly start?: Float64Array;
  /** How many solutions are looked at where circles of trades pay. Default: 160, and fewer where many hops make each slow. */
  readonly maxSolutions?: number;
};

const NONE: ReadonlySet<number> = new Set();

const MAX_LOOKS = 160;
const MAX_HOPS_LOOKED_AT = 40_000;
/** How often a solution is rounded to a plan. */
const ROUND_EVERY = 2;
/** When the best is near enough to what others may yield. */
const NEAR = 1e-9;

/**
 * Returns the best acyclic flow of `input` base units; one without hops if none is
 * found. Where arbitrage in the market makes the best flow go round in circles of
 * tokens, branch and bound: some order of the tokens fits the best plan, so the
 * orders are parted by which of two tokens comes first, and the part that may yield
 * most is looked into first.
 */
export function bestAcyclicFlow(
  problem: FlowProblem,
  input: number,
  { closed = NONE, start, maxSolutions }: FlowOptions = {},
): AcyclicFlow {
  const most = maxSolutions ?? Math.min(MAX_LOOKS, MAX_HOPS_LOOKED_AT / problem.hops.length);
  const beaten: Ceiling[] = [];
  let looks = 0;
  let best: Branch | undefined;
  /** Tells whether no input from `input` up to a little more yields more than the best flow. */
  const isBeaten = ({ bound, price }: Ceiling): boolean => {
    if (best === undefined) return false;
    const more = input * SPARE;
    const known = yieldOf(best);
    const atMost = known + more * priceOf(problem, problem.sell, best.solution.logValues);
    return bound <= known * (1 + NEAR) && bound + more * price <= atMost * (1 + NEAR);
  };
  const look: Look = (part, near) => {
    const branch = branchOf(problem, input, part, near, isBeaten);
    // Where tokens are held to what they pass on, that is a second solution.
    looks += branch.near.halves ? 2 : 1;
    if (isPlan(branch) && yieldOf(branch) > (best ? yieldOf(best) * (1 + NEAR) : 0)) best = branch;
    return branch;
  };
  let around: Branch | undefined;
  /** Betters the best plan while an order next to it does. */
  const climb = () => {
    while (!problem.isFair && best !== undefined && best !== around && looks < most) {
      around = best;
      lookAround(problem, input, best, (part, near) => look(part, near) === best);
    }
  };
  const root = { precedence: noPrecedence(problem.nodeCount), closed };
  const first = look(root, { logValues: start });
  const open: Part[] = [{ ...root, ceiling: first.ceiling, from: first, isSolved: true }];
  for (let branches = 0; open.length > 0; branches++) {
    const part = takeHighest(open);
    if (isBeaten(part.ceiling) || looks > most) {
      beaten.push(part.ceiling);
      continue;
    }
    const branch = part.isSolved ? part.from : look(part, part.from.near);
    const ceiling = branch.ceiling.bound < part.ceiling.bound ? branch.ceiling : part.ceiling;
    if (isPlan(branch) || isBeaten(ceiling)) {
      beaten.push(ceiling);
      continue;
    }
    if (branches % ROUND_EVERY === 0) {
      round(problem, branch, part.precedence, { look, isBeaten }, branches / ROUND_EVERY);
    }
    climb();
    const parting = partingOf(problem, { ...part, ceiling }, branch, isBeaten);
    open.push(...parting.parts);
    beaten.push(...parting.beaten);
  }
  const upTo = problem.isFair ? Number.POSITIVE_INFINITY : input * (1 + SPARE);
  const supports = beaten.map(
    ({ bound, price }): Support => ({ price, profit: bound - price * input, upTo }),
  );
  const { flow, solution } = best ?? first;
  const { flows, used } = flow;
  const { logValues, bound: output } = solution;
  if (best === undefined) {
    return { flows, used: [], logValues, limits: undefined, output: 0, supports };
  }
  const limits = best === first ? undefined : limitsOf(problem, best);
  return { flows, used, logValues, limits, output, supports };
}

/** What a plan yields at least, should its values not balance. */
function yieldOf({ solution: { bound, residual } }: Branch): number {
  return bound * (1 - residual);
}

function takeHighest(open: Part[]): Part {
  const highest = open.reduce((a, b) => (b.ceiling.bound > a.ceiling.bound ? b : a));
  open.splice(open.indexOf(highest), 1);
  return highest;
}
