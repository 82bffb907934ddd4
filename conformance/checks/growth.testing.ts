import { expect } from 'vitest';

/** Size of the large work relative to the small work. */
export const TIMES = 8;
/**
 * Maximum ratio of the times. Quadratic work takes 8 times as long at once as in parts; a factor of
 * 3 for each doubling is tolerated.
 */
const MAX_RATIO = 27 / TIMES;
const ROUNDS = 10;

/**
 * Expects work to take time linear in its size: doing all of it at once takes about as long as
 * doing it in `TIMES` parts. Alternates between the two for several rounds and compares their
 * minima, so that neither other processes nor the garbage collector decides the result.
 */
export async function expectLinear(
  work: (size: number) => () => unknown,
  size: number,
): Promise<void> {
  const [part, whole] = [work(size), work(size * TIMES)];
  let [parts, atOnce] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let done = 0; done < TIMES; done++) await part();
    const between = performance.now();
    await whole();
    parts = Math.min(parts, between - start);
    atOnce = Math.min(atOnce, performance.now() - between);
    if (atOnce < parts * MAX_RATIO) return;
  }
  expect(atOnce / parts).toBeLessThan(MAX_RATIO);
}
