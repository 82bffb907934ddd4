import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { packCycles } from './cycle-packing.ts';
import {
  cycleEdgesOf,
  type EdgeWeights,
  noPrecedence,
  putBefore,
  type WeightedEdge,
} from './precedence.ts';

const SIZE = 5;
const edge = (tail: number, head: number, weight: number): WeightedEdge => ({ tail, head, weight });

function weightsOf(edges: readonly WeightedEdge[]): EdgeWeights {
  const weights = new Float64Array(SIZE * SIZE);
  for (const { tail, head, weight } of edges) weights[tail * SIZE + head] = weight;
  return weights;
}

function ordersOf(nodes: readonly number[]): number[][] {
  if (nodes.length === 0) return [[]];
  return nodes.flatMap((first) =>
    ordersOf(nodes.filter((node) => node !== first)).map((rest) => [first, ...rest]),
  );
}

function against(order: readonly number[], weights: EdgeWeights): number {
  let lost = 0;
  for (const [at, head] of order.entries()) {
    for (const tail of order.slice(at + 1)) lost += weights[tail * SIZE + head] ?? 0;
  }
  return lost;
}

test.each<[string, readonly WeightedEdge[], number]>([
  ['no cycle', [edge(0, 1, 5), edge(1, 2, 5), edge(0, 2, 5)], 0],
  ['two nodes', [edge(0, 1, 5), edge(1, 0, 3)], 3],
  ['three nodes', [edge(0, 1, 5), edge(1, 2, 2), edge(2, 0, 4)], 2],
  ['two disjoint cycles', [edge(0, 1, 5), edge(1, 0, 3), edge(2, 3, 1), edge(3, 2, 7)], 4],
])('%s -> the lightest edge of each cycle', (_, edges, lost) => {
  expect(packCycles(noPrecedence(SIZE), weightsOf(edges)).lost).toBe(lost);
  expect(cycleEdgesOf(SIZE, edges).length > 0).toBe(lost > 0);
});

test('any graph and precedence -> a lower bound on the weight that each order loses, including residual edges', () => {
  const node = fc.nat(SIZE - 1);
  const anyEdges = fc.uniqueArray(
    fc
      .record({ tail: node, head: node, weight: fc.integer({ min: 1, max: 100 }) })
      .filter(({ tail, head }) => tail !== head),
    { selector: ({ tail, head }) => SIZE * tail + head, maxLength: 14 },
  );
  const anyPairs = fc.array(fc.tuple(node, node), { maxLength: 3 });
  const orders = ordersOf([...Array(SIZE).keys()]);
  forAll([anyEdges, anyPairs], { seed: 50, numRuns: 300 }, (edges, pairs) => {
    const precedence = noPrecedence(SIZE);
    for (const [first, then] of pairs) putBefore(precedence, first, then);
    const weights = weightsOf(edges);
    const { lost, residual } = packCycles(precedence, weights);
    const allowed = orders.filter((order) =>
      order.every((then, at) =>
        order.slice(at + 1).every((first) => precedence.comesFirst[first * SIZE + then] === 0),
      ),
    );
    for (const order of allowed) {
      expect(against(order, weights)).toBeGreaterThanOrEqual(lost + against(order, residual));
    }
    const minWeight = Math.min(...allowed.map((order) => against(order, weights)));
    expect(lost > 0).toBe(minWeight > 0);
  });
});
