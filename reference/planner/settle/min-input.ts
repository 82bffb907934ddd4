import type { Flow, Network } from '../graph/network.ts';
import { push } from './push.ts';

/** Maximum number of pushes. Output rises in steps, and each step may need another push. */
const MAX_PUSHES = 64;

/** Pushes after which the bracket is halved, in case the slopes mislead. */
const PUSHES_PER_HALVING = 6;

/**
 * The first extrapolation overshoots by this fraction (1 / 8) of its step, because output per input
 * falls as input rises.
 */
const OVERSHOOT_DIVISOR = 8n;

/**
 * Width of the bracket at which the search ends, relative to integer rounding. Settling the exact
 * output afterward corrects the excess.
 */
const MIN_BRACKET_PER_ROUNDING = 2 ** -10;

type Trial = { readonly amountIn: bigint; readonly excess: bigint };

type Success = Trial & { readonly flows: readonly Flow[]; readonly rounding: number };

/**
 * Returns the swaps for approximately the smallest input that yields at least `amountOut`;
 * `undefined` if none was found. As input rises, output rises in steps. The search extrapolates
 * from `guess` along the slope until it has a bracket. It then narrows the bracket by the Illinois
 * rule.
 * @param savesWaste - As in {@link push}.
 */
export function minInputFlows(
  network: Network,
  amountOut: bigint,
  guess: bigint,
  savesWaste: boolean,
): readonly Flow[] | undefined {
  let below: Trial = { amountIn: 0n, excess: -amountOut };
  let above: Success | undefined;
  /**
   * Weights of the bracket's ends. When one end moves twice in a row, the other end's weight is
   * halved, so that it moves too.
   */
  let [low, high] = [below.excess, 0n];
  let wasAbove: boolean | undefined;
  let amountIn = guess;
  for (let pushes = 1; pushes <= MAX_PUSHES; pushes++) {
    const pushed = push(network, amountIn, savesWaste);
    if (pushed.kind === 'exhausted') return above?.flows;
    const excess = pushed.kind === 'filled' ? pushed.amountOut - amountOut : -amountOut;
    if (pushed.kind === 'filled' && excess === 0n) return pushed.flows;
    const before = below;
    const isAbove = pushed.kind === 'filled' && excess > 0n;
    if (isAbove) {
      above = { amountIn, excess, ...pushed };
      high = excess;
      if (wasAbove === true) low /= 2n;
    } else {
      below = { amountIn, excess };
      low = excess;
      if (wasAbove === false) high /= 2n;
    }
    if (above === undefined) {
      amountIn = extrapolate(before, below, guess, 2n ** BigInt(pushes - 1));
      continue;
    }
    wasAbove = isAbove;
    const width = above.amountIn - below.amountIn;
    const minWidth = MIN_BRACKET_PER_ROUNDING * above.rounding * Number(above.amountIn);
    if (width <= 1n || Number(width) <= minWidth) break;
    const part =
      pushes % PUSHES_PER_HALVING === 0 ? width / 2n : (width * -low) / (high - low) + 1n;
    amountIn = below.amountIn + (part < width ? part : width - 1n);
  }
  return above?.flows;
}

/**
 * Extrapolates the slope between two trials that yielded too little. The overshoot grows with each
 * trial.
 */
function extrapolate(one: Trial, other: Trial, guess: bigint, overshoots: bigint): bigint {
  const rise = other.excess - one.excess;
  const run = other.amountIn - one.amountIn;
  if (rise <= 0n) {
    const beyond = other.amountIn - guess;
    return other.amountIn + 2n * (beyond > 1n ? beyond : 1n);
  }
  const step = (-other.excess * run) / rise;
  return other.amountIn + step + (step * overshoots) / OVERSHOOT_DIVISOR + 1n;
}
