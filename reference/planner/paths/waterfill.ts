import { at } from '../domain/at.ts';
import { growthAt, inputDownTo, outputOf, type PathCurve } from './path-curve.ts';

/** Total input or output, in base units. */
export type Goal = { readonly kind: 'input' | 'output'; readonly amount: number };

type Filling = {
  readonly inputs: readonly number[];
  /**
   * Square root of the common marginal rate; 0 if all curves together take or give no more than the
   * goal.
   */
  readonly root: number;
};

/** Maximum difference between the sum and the goal, relative to the goal. */
const MAX_MISSING_SHARE = 1e-14;
const MAX_ITERATIONS = 100;
const START_OFFSET = 1e-3;

/**
 * Returns the inputs at which all curves have the same marginal rate, and their inputs or outputs
 * add up to the goal. Uses Newton's method on `1 / root`, since the input of each piece is linear
 * in that variable.
 */
export function waterfill(curves: readonly PathCurve[], { kind, amount }: Goal): Filling {
  const sumAt = (root: number): number => {
    let sum = 0;
    for (const curve of curves) {
      const input = inputDownTo(curve, root);
      sum += kind === 'input' ? input : outputOf(curve, input);
    }
    return sum;
  };
  const inputsAt = (root: number) => curves.map((curve) => inputDownTo(curve, root));
  if (sumAt(0) <= amount) return { inputs: inputsAt(0), root: 0 };
  let low = 1 / Math.max(...curves.map(({ roots }) => at(roots, 0)));
  let high = Number.POSITIVE_INFINITY;
  let inverse = low * (1 + START_OFFSET);
  for (let iteration = 0; iteration < MAX_ITERATIONS && low < high; iteration++) {
    const missing = amount - sumAt(1 / inverse);
    if (Math.abs(missing) <= MAX_MISSING_SHARE * amount) break;
    if (missing > 0) low = inverse;
    else high = inverse;
    let growth = 0;
    for (const curve of curves) growth += growthAt(curve, 1 / inverse);
    if (kind === 'output') growth /= inverse ** 2;
    const next = inverse + missing / growth;
    if (next > low && next < high) inverse = next;
    else inverse = high === Number.POSITIVE_INFINITY ? 2 * inverse : Math.sqrt(low * high);
    if (inverse <= low || inverse >= high) break;
  }
  return { inputs: inputsAt(1 / inverse), root: 1 / inverse };
}
