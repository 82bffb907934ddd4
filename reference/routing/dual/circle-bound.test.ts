import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../../scripts/for-all.testing.ts';
import { leastLost } from './circle-bound.ts';
import type { Edge } from './order.ts';

const edge = (tail: number, head: number, weight: number): Edge => ({ tail, head, weight });

/** What the best of all orders of the nodes does without. */
function lostByTrying(size: number, edges: readonly Edge[]): number {
  const ordersOf = (nodes: readonly number[]): number[][] =>
    nodes.length === 0
      ? [[]]
      : nodes.flatMap((first) =>
          ordersOf(nodes.filter((node) => node !== first)).map((rest) => [first, ...rest]),
        );
  const losses = ordersOf([...Array(size).keys()]).map((order) =>
    edges
      .filter(({ tail, head }) => order.indexOf(tail) > order.indexOf(head))
      .reduce((sum, { weight }) => sum + weight, 0),
  );
  return Math.min(...losses);
}

test.each<[string, readonly Edge[], number]>([
  ['no circle', [edge(0, 1, 5), edge(1, 2, 5), edge(0, 2, 5)], 0],
  ['two nodes', [edge(0, 1, 5), edge(1, 0, 3)], 3],
  ['three nodes', [edge(0, 1, 5), edge(1, 2, 2), edge(2, 0, 4)], 2],
  ['two circles apart', [edge(0, 1, 5), edge(1, 0, 3), edge(2, 3, 1), edge(3, 2, 7)], 4],
])('%s -> the thinnest edge of each', (_, edges, lost) => {
  expect(leastLost(4, edges)).toBe(lost);
});

test('any graph -> no more than the best order does without, and something if there is a circle', () => {
  const anyEdges = fc.uniqueArray(
    fc
      .record({ tail: fc.nat(4), head: fc.nat(4), weight: fc.integer({ min: 1, max: 100 }) })
      .filter(({ tail, head }) => tail !== head),
    { selector: ({ tail, head }) => 5 * tail + head, maxLength: 14 },
  );
  forAll([anyEdges], { seed: 50, numRuns: 300 }, (edges) => {
    const lost = leastLost(5, edges);
    const least = lostByTrying(5, edges);
    expect(lost).toBeLessThanOrEqual(least);
    expect(lost > 0).toBe(least > 0);
  });
});
