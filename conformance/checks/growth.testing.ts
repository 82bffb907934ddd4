import { expect } from 'vitest';

/** How many times as large the large work is. */
export const TIMES = 8;
/** What is quadratic takes eight times as long at once as in parts; three for each doubling is let pass. */
const MOST = 27 / TIMES;
const ROUNDS = 10;

/**
 * Expects work to take time linear in its size: all at once it takes about as
 * long as in so many parts. Both are as long, and are measured in turns: the
 * least of several rounds, so that neither other work nor the collector decides.
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
    if (atOnce < parts * MOST) return;
  }
  expect(atOnce / parts).toBeLessThan(MOST);
}
