import type { Flow, Network } from '../graph/network.ts';
import { push } from './push.ts';

/** Bounds the search; output rises in steps, which a search by slopes may meet one by one. */
const MAX_PUSHES = 64;

/** One in so many tries halves the bracket, in case the slopes mislead. */
const HALVING = 6;

/** By which part of a step too little is gone beyond where the slope leads: output rises ever less. */
const BEYOND = 8n;

/** The bracket is narrow enough at this part of what whole numbers cost: buying back to front takes off what is too much. */
const NARROW = 2 ** -10;

/** An amount that was pushed, and how far its output is above what is wanted. */
type Trial = { readonly amountIn: bigint; readonly over: bigint };

type Success = Trial & { readonly flows: readonly Flow[]; readonly rounding: number };

/**
 * Returns the swaps by which about the least input yields `amountOut` or more:
 * those of the least found that yields it. `undefined` if none was found.
 *
 * `spares` as {@link push} has it, by which either may come out better. Output
 * rises with input, in steps: the search extrapolates from `guess` along
 * the slope until the step is bracketed, then closes in by the Illinois rule.
 */
export function leastInputFlows(
  network: Network,
  amountOut: bigint,
  guess: bigint,
  spares: boolean,
): readonly Flow[] | undefined {
  let below: Trial = { amountIn: 0n, over: -amountOut };
  let above: Success | undefined;
  /** What the ends of the bracket count for: an end that stays counts half, so that the other moves too. */
  let [low, high] = [below.over, 0n];
  let wasAbove: boolean | undefined;
  let amountIn = guess;
  for (let pushes = 1; pushes <= MAX_PUSHES; pushes++) {
    const pushed = push(network, amountIn, spares);
    if (pushed.kind === 'exhausted') return above?.flows;
    const over = pushed.kind === 'filled' ? pushed.amountOut - amountOut : -amountOut;
    if (pushed.kind === 'filled' && over === 0n) return pushed.flows;
    const before = below;
    const isAbove = pushed.kind === 'filled' && over > 0n;
    if (isAbove) {
      above = { amountIn, over, ...pushed };
      high = over;
      if (wasAbove === true) low /= 2n;
    } else {
      below = { amountIn, over };
      low = over;
      if (wasAbove === false) high /= 2n;
    }
    if (above === undefined) {
      amountIn = beyond(before, below, guess, 2n ** BigInt(pushes - 1));
      continue;
    }
    wasAbove = isAbove;
    const width = above.amountIn - below.amountIn;
    if (width <= 1n || Number(width) <= NARROW * above.rounding * Number(above.amountIn)) break;
    const part = pushes % HALVING === 0 ? width / 2n : (width * -low) / (high - low) + 1n;
    amountIn = below.amountIn + (part < width ? part : width - 1n);
  }
  return above?.flows;
}

/** Goes from two trials that yield too little to where the slope between them leads, and ever further beyond. */
function beyond(one: Trial, other: Trial, guess: bigint, times: bigint): bigint {
  const rise = other.over - one.over;
  const run = other.amountIn - one.amountIn;
  if (rise <= 0n) return other.amountIn + 2n * max(1n, other.amountIn - guess);
  const step = (-other.over * run) / rise;
  return other.amountIn + step + (step * times) / BEYOND + 1n;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
