import type { Flow, Network } from './network.ts';
import { push } from './push.ts';

/** Bounds the search; output rises in steps, which a search by slopes may meet one by one. */
const MAX_PUSHES = 64;

/** One in so many tries halves the bracket, in case the slopes mislead. */
const HALVING = 4;

/** The bracket is narrow enough at this part of what whole numbers cost: buying back to front takes off what is too much. */
const NARROW = 2 ** -10;

/** An amount that was pushed, and how far its output is above what is wanted. */
type Trial = { readonly amountIn: bigint; readonly over: bigint };

type Success = Trial & { readonly flows: readonly Flow[]; readonly rounding: number };

/**
 * Returns the swaps by which about the least input yields `amountOut` or more:
 * those of the least found that yields it. `undefined` if none was found.
 *
 * Output rises with input, in steps: the search extrapolates from `guess` along
 * the slope until the step is bracketed, then closes in.
 */
export function leastInputFlows(
  network: Network,
  amountOut: bigint,
  guess: bigint,
): readonly Flow[] | undefined {
  let below: Trial = { amountIn: 0n, over: -amountOut };
  let above: Success | undefined;
  let before: Trial = below;
  let amountIn = guess;
  for (let pushes = 1; pushes <= MAX_PUSHES; pushes++) {
    const pushed = push(network, amountIn);
    if (pushed.kind === 'exhausted') return above?.flows;
    const over = pushed.kind === 'filled' ? pushed.amountOut - amountOut : -amountOut;
    if (pushed.kind === 'filled' && over === 0n) return pushed.flows;
    const trial = { amountIn, over };
    if (pushed.kind === 'filled' && over > 0n) above = { ...trial, ...pushed };
    else below = trial;
    const crossing = crossingOf(before, trial);
    before = trial;
    if (above === undefined) {
      // At least twice as far as the last step.
      amountIn = max(crossing ?? 0n, amountIn + 2n * max(1n, amountIn - guess));
      continue;
    }
    const width = above.amountIn - below.amountIn;
    if (width <= 1n || Number(width) <= NARROW * above.rounding * Number(above.amountIn)) break;
    const isWithin =
      crossing !== undefined && below.amountIn < crossing && crossing < above.amountIn;
    amountIn = isWithin && pushes % HALVING !== 0 ? crossing : below.amountIn + width / 2n;
  }
  return above?.flows;
}

/** Where the straight line through two trials meets what is wanted, rounded up; none if it does not rise. */
function crossingOf(one: Trial, other: Trial): bigint | undefined {
  const rise = other.over - one.over;
  const run = other.amountIn - one.amountIn;
  if (rise === 0n || run === 0n || rise > 0n !== run > 0n) return undefined;
  return other.amountIn - (other.over * run) / rise + 1n;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
