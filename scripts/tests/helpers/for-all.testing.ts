import fc from 'fast-check';

/**
 * Throws where something does not hold of anything, with a smallest example;
 * the values are the same in every run. `numRuns` is 100 by default, and counts
 * the `examples`, which come first.
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
