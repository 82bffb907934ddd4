import { type Dual, type DualState, evaluate, lookBetween } from './dual-state.ts';

/** How far one step may change a value, in logarithms. */
const LONGEST_STEP = 2;

const MAX_ATTEMPTS = 30;

/** A line is searched until its slope has come down to this part. */
const FLAT = 0.5;

/** The part of what the slope promises that a step must gain, and what of the objective is rounding. */
const LEAST_GAIN = 1e-4;
const NOISE = 1e-13;

/**
 * Leaves in `next` the state some way along `step` where the objective is lower
 * and about flat. Flat matters: a pool that begins to trade on the way bends the
 * line sharply, and only from beyond its edge does the next step know of it.
 */
export function searchLine(
  dual: Dual,
  state: DualState,
  step: Float64Array,
  next: DualState,
): void {
  const slope = along(state, step);
  let length = Math.min(1, LONGEST_STEP / longest(step));
  let low = 0;
  let high = length;
  let [slopeAtLow, slopeAtHigh] = [slope, slope];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    for (let node = 0; node < step.length; node++) {
      next.logValues[node] = (state.logValues[node] ?? 0) + length * (step[node] ?? 0);
    }
    if (attempt === 0) lookBetween(dual, state.logValues, next.logValues);
    evaluate(dual, next);
    const gained = state.objective - next.objective;
    const isLower =
      gained >= -LEAST_GAIN * length * slope ||
      (gained >= -NOISE * state.objective && next.imbalance < state.imbalance);
    const reached = along(next, step);
    if (isLower && Math.abs(reached) <= FLAT * -slope) return;
    // The Illinois rule: an end that stays counts half, so that the other moves too.
    if (reached > 0 || !isLower) {
      high = length;
      slopeAtHigh = Math.max(reached, -slope);
      if (attempt > 0) slopeAtLow /= 2;
    } else {
      if (length === high) return;
      low = length;
      slopeAtLow = reached;
      slopeAtHigh /= 2;
    }
    const crossing = slopeAtLow / (slopeAtLow - slopeAtHigh);
    const part = attempt % 3 === 2 ? 0.5 : Math.min(0.98, Math.max(0.02, crossing));
    length = low + (high - low) * part;
  }
}

/** How fast the objective changes along `step`. */
function along({ gradient }: DualState, step: Float64Array): number {
  let slope = 0;
  for (let node = 0; node < step.length; node++) slope += (gradient[node] ?? 0) * (step[node] ?? 0);
  return slope;
}

function longest(step: Float64Array): number {
  let most = 0;
  for (let node = 0; node < step.length; node++) most = Math.max(most, Math.abs(step[node] ?? 0));
  return most;
}
