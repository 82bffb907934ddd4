import fc from 'fast-check';

/**
 * Throws with a minimal counterexample if a property does not hold for all values.
 * The values are the same in every run. `numRuns` is 100 by default and includes
 * the `examples`, which are tried first.
 *
 * @example
 * forAll([fc.nat(), fc.nat()], { seed: 1 }, (a, b) => {
 *   expect(a + b).toBe(b + a);
 * });
 */
export function forAll<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  options: {
    readonly seed: number;
    readonly numRuns?: number;
    readonly examples?: Values[];
  },
  holds: (...values: Values) => void,
): void {
  fc.assert(fc.property<Values>(...arbitraries, holds), options);
}
