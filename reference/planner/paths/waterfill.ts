import { growthAt, inputDownTo, outputOf, type PathCurve } from './path-curve.ts';

/** How much is to go in, or to come out, in base units. */
export type Goal = { readonly kind: 'input' | 'output'; readonly amount: number };

/** How paths that share nothing divide an amount among them. */
export type Filling = {
  readonly inputs: readonly number[];
  /** Square root of the price at which all of them stand; 0 if together they take or give no more than asked. */
  readonly root: number;
};

/** Nearness of the sum to the goal, as part of it, and how often it is tried. */
const NEAR = 1e-14;
const MAX_STEPS = 100;

/**
 * Returns what each curve takes so that all end at one marginal price and the
 * sum meets the goal. By Newton's method on one over the price's root, in which
 * every piece's input is a straight line.
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
  let low = 1 / Math.max(...curves.map(({ roots }) => roots[0] ?? 0));
  let high = Number.POSITIVE_INFINITY;
  let at = low * (1 + 1e-3);
  for (let step = 0; step < MAX_STEPS && low < high; step++) {
    const missing = amount - sumAt(1 / at);
    if (Math.abs(missing) <= NEAR * amount) break;
    if (missing > 0) low = at;
    else high = at;
    let growth = 0;
    for (const curve of curves) growth += growthAt(curve, 1 / at);
    if (kind === 'output') growth /= at ** 2;
    const next = at + missing / growth;
    if (next > low && next < high) at = next;
    else at = high === Number.POSITIVE_INFINITY ? 2 * at : Math.sqrt(low * high);
    if (at <= low || at >= high) break;
  }
  return { inputs: inputsAt(1 / at), root: 1 / at };
}
