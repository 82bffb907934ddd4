import type { Edge } from './order.ts';

/**
 * Returns what any order of the nodes must do without at least, of edges that
 * weigh what they gain: from each circle some edge. A packing of circles, greedy,
 * those of two first: what is taken from every edge of a circle is lost once.
 *
 * @see https://doi.org/10.1145/504710.504711 (the local ratio technique)
 */
export function leastLost(size: number, edges: readonly Edge[]): number {
  const left = new Float64Array(size * size);
  const leaving: number[][] = Array.from({ length: size }, () => []);
  for (const { tail, head, weight } of edges) {
    left[tail * size + head] = weight;
    if (weight > 0) leaving[tail]?.push(head);
  }
  const weightOf = (tail: number, head: number) => left[tail * size + head] ?? 0;
  /** Takes from a circle of nodes what its thinnest edge has left. */
  const take = (circle: readonly number[]): number => {
    const links = circle.map((node, at) => node * size + (circle[(at + 1) % circle.length] ?? 0));
    const least = Math.min(...links.map((link) => left[link] ?? 0));
    // The thinnest is 0 from here on, whatever floats leave of it.
    for (const link of links) left[link] = left[link] === least ? 0 : (left[link] ?? 0) - least;
    return least;
  };
  let lost = 0;
  for (const { tail, head } of edges) if (tail < head) lost += take([tail, head]);
  const done = new Uint8Array(size);
  for (let start = 0; start < size; start++) {
    const walk = [start];
    while (walk.length > 0 && done[start] === 0) {
      const node = walk.at(-1) ?? start;
      const next = leaving[node]?.find((head) => done[head] === 0 && weightOf(node, head) > 0);
      if (next === undefined) {
        done[node] = 1;
        walk.pop();
        continue;
      }
      const at = walk.indexOf(next);
      if (at < 0) walk.push(next);
      else {
        lost += take(walk.slice(at));
        walk.length = at + 1;
      }
    }
  }
  return lost;
}
