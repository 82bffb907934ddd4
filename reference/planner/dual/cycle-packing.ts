import { at } from '../domain/at.ts';
import type { EdgeWeights, Precedence } from './precedence.ts';

type CyclePacking = { readonly lost: number; readonly residual: EdgeWeights };

/**
 * Returns a lower bound on the weight lost by every total order that extends a precedence. An order
 * loses the weight of each edge that runs against it. Each order loses all edges against the
 * precedence, and at least one edge of each cycle. Packs cycles greedily, cycles of two edges
 * first: the weight subtracted from every edge of a cycle counts as lost once. An order also loses
 * the residual weight of an edge that runs against it.
 * @see https://doi.org/10.1145/504710.504711 (the local ratio technique)
 */
export function packCycles({ size, comesFirst }: Precedence, weights: EdgeWeights): CyclePacking {
  const residual = weights.slice();
  let lost = 0;
  /**
   * Subtracts the smallest edge weight of a cycle from all its edges, except edges in the
   * precedence.
   */
  const pack = (cycle: readonly number[]): void => {
    const edges = cycle
      .map((node, index) => node * size + (cycle[(index + 1) % cycle.length] as number))
      .filter((edge) => comesFirst[edge] === 0);
    const smallest = Math.min(...edges.map((edge) => at(residual, edge)));
    // Set the smallest edge to exactly 0, whatever the rounding.
    for (const edge of edges) {
      residual[edge] = residual[edge] === smallest ? 0 : at(residual, edge) - smallest;
    }
    lost += smallest;
  };
  for (let one = 0; one < size; one++) {
    for (let other = 0; other < one; other++) {
      const [there, back] = [one * size + other, other * size + one];
      const against = comesFirst[there] === 1 ? back : comesFirst[back] === 1 ? there : undefined;
      if (against === undefined) {
        if (at(residual, there) > 0 && at(residual, back) > 0) pack([one, other]);
      } else {
        lost += at(residual, against);
        residual[against] = 0;
      }
    }
  }
  const leads = (edge: number) => comesFirst[edge] === 1 || at(residual, edge) > 0;
  const leaving: number[][] = Array.from({ length: size }, () => []);
  for (let edge = 0; edge < size * size; edge++) {
    if (leads(edge)) leaving[Math.floor(edge / size)]?.push(edge % size);
  }
  const done = new Uint8Array(size);
  for (let start = 0; start < size; start++) {
    const walk = [start];
    while (walk.length > 0 && done[start] === 0) {
      const node = walk.at(-1) ?? start;
      const next = leaving[node]?.find((head) => done[head] === 0 && leads(node * size + head));
      if (next === undefined) {
        done[node] = 1;
        walk.pop();
        continue;
      }
      const index = walk.indexOf(next);
      if (index < 0) walk.push(next);
      else {
        pack(walk.slice(index));
        walk.length = index + 1;
      }
    }
  }
  return { lost, residual };
}
