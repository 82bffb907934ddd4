import { upperBoundAt } from '../dual/bound-lines.ts';
import { isSame } from '../graph/network.ts';
import type { BoundLines, Search, SinglePath, Split } from '../search/search.ts';
import { structureAmount } from '../search/structure-amount.ts';
import { type Push, push } from '../settle/push.ts';
import { withoutCoarseTokens } from './coarse-tokens.ts';
import { cheapestOf, type PlanCosts } from './plan-costs.ts';

/**
 * If integer rounding costs at most this fraction of the trade, a search for finer networks is not
 * worthwhile.
 */
export const MAX_FINE_ROUNDING = 2 ** -20;

/**
 * Maximum gap between a split and the upper bound. Only outputs so small that floats cannot
 * distinguish the pools' rates exceed this gap.
 */
const MAX_SPLIT_GAP = 1e-8;

/** Relative margin for rounding errors in capacities. */
export const CAPACITY_MARGIN = 1e-9;

/**
 * A trade below this fraction of the depth cannot drain a pool. If a split of such a trade seems to
 * drain one, the cause is float rounding.
 */
const MIN_DRAINING_PART = 1e-6;

/** A float output at most this far below a whole base unit counts as that unit. */
const UNIT_ROUNDING = 1e-6;

/** Returns whether a split that should be near-optimal is close enough to the upper bound. */
export function isNearBound(
  { isNearOptimal, boundLines }: Split,
  amountIn: number,
  amountOut: number,
  maxGap = MAX_SPLIT_GAP,
): boolean {
  return isNearOptimal && amountOut >= upperBoundAt(boundLines(), amountIn) * (1 - maxGap);
}

/** A settled input, and upper bounds on the yield of any plan. */
export type Filled = Push & { readonly boundLines?: BoundLines };

type Settled = Push & { readonly kind: 'filled' };

/**
 * Returns the swaps that sell exactly `sellAmount` for the largest output net of costs, or the
 * reason why no plan exists. Three kinds of networks may compete with the best split. Networks with
 * fewer swaps compete if gas counts or the split has too many swaps. Networks without coarse tokens
 * compete if rounding is costly. Single paths compete if rounding outweighs the gain of splitting,
 * or if floats cannot distinguish the rates.
 */
export function fillExactInput(search: Search, sellAmount: bigint, costs: PlanCosts): Filled {
  const amount = Number(sellAmount);
  if (amount > search.capacityIn * (1 + CAPACITY_MARGIN)) return { kind: 'exhausted' };
  const input = structureAmount(amount, search.depth);
  const split = search.split(input);
  if (split === undefined) return { kind: 'dust' };
  const { network, output, boundLines } = split;
  // Output per input falls as input rises, so the output of a smaller input bounds this output.
  if (network && output * (amount / input) < 1 - UNIT_ROUNDING) return { kind: 'dust' };
  const first: Push = network
    ? push(network, sellAmount)
    : { kind: output > 0 ? 'exhausted' : 'dust' };
  const drains = amount > MIN_DRAINING_PART * search.depth;
  if (first.kind === 'exhausted' && split.isNearOptimal && drains) return first;
  const isFilled = first.kind === 'filled';
  const isFine =
    isFilled &&
    first.rounding <= MAX_FINE_ROUNDING &&
    isNearBound(split, amount, Number(first.amountOut));
  const fewer =
    isFilled && costs.wantsFewerSwaps(first.flows) ? search.netOfCosts(input, costs.swapCosts) : [];
  const finer =
    network && isFilled && first.rounding > MAX_FINE_ROUNDING
      ? withoutCoarseTokens(network, first.flows)
      : [];
  const others = [...fewer, ...finer].filter((other) => !network || !isSame(other, network));
  const best = bestOf([first, ...others.map((other) => push(other, sellAmount))], costs);
  const tried = network ? [network, ...others] : others;
  const singles = isFine
    ? []
    : search
        .singlePaths(input, worthOver(best, input / amount, costs))
        .filter(
          (single) =>
            mayBeBetter(best, single, amount / input, costs) &&
            !tried.some((known) => isSame(known, single.network)),
        );
  const settled = [best, ...singles.map((single) => push(single.network, sellAmount))];
  const winner = bestOf(settled, costs);
  if (winner === undefined) return isFilled ? { kind: 'exhausted' } : first;
  return { ...winner, boundLines: () => linesAt(search, boundLines(), amount) };
}

/**
 * Beyond `search.depth`, one split serves many amounts. If its bound lines do not hold for an
 * amount, returns the lines of the amount's own split.
 */
function linesAt(search: Search, lines: ReturnType<BoundLines>, amount: number) {
  const holds = lines.every(({ maxInput }) => amount <= maxInput);
  return holds ? lines : (search.split(amount)?.boundLines() ?? []);
}

function bestOf(pushed: readonly (Push | undefined)[], costs: PlanCosts): Settled | undefined {
  const filled = pushed.filter((each) => each?.kind === 'filled');
  const allowed = filled.filter(({ flows }) => costs.isAllowed(flows));
  return cheapestOf(allowed, (each) => -netOf(each, costs));
}

function netOf({ amountOut, flows }: Settled, { costOf }: PlanCosts): bigint {
  return amountOut - costOf(flows);
}

/** Relative error of an output in floats. */
const OUTPUT_ERROR = 1e-9;
/** Absolute rounding error of a cost, in base units. */
const COST_ERROR = 1e-3;

/**
 * Returns the minimum output with which a path for this part of the input may be better. Output per
 * input falls as input rises, except for rounding.
 */
function worthOver(best: Settled | undefined, part: number, costs: PlanCosts): number {
  if (best === undefined) return 0;
  return Number(netOf(best, costs)) * part * (1 - OUTPUT_ERROR - 2 * best.rounding);
}

/**
 * Returns whether a single path may be better at `factor` times its input. Output per input falls
 * as input rises, and every swap uses at least the minimum gas.
 */
function mayBeBetter(
  best: Settled | undefined,
  { arcs, output }: SinglePath,
  factor: number,
  costs: PlanCosts,
): boolean {
  // Only settling the path shows whether it takes the whole input.
  if (best === undefined || output === 0) return true;
  const toBeat = Number(netOf(best, costs));
  const maxOutput = Math.floor(output * factor * (1 + OUTPUT_ERROR));
  if (maxOutput < toBeat) return false;
  const net = maxOutput - Math.ceil(costs.minCostOf(arcs) - COST_ERROR);
  return net > toBeat || (net === toBeat && arcs.length < best.flows.length);
}
