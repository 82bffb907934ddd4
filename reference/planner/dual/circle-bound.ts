import type { Precedence, Weights } from './order.ts';

/** A packing of circles: what any order does without at least, and what edges weigh beside that. */
export type Packing = { readonly lost: number; readonly left: Weights };

/**
 * Returns what any order of the nodes that keeps to a precedence must do without
 * at least, of edges that weigh what they gain: those against it, and from each
 * circle some edge. A packing of circles, greedy, those of two first: what is
 * taken from every edge of a circle is lost once. An order that does without an
 * edge of which something is left loses that too.
 *
 * @see https://doi.org/10.1145/504710.504711 (the local ratio technique)
 */
export function packCircles({ size, comesFirst }: Precedence, weights: Weights): Packing {
  const left = weights.slice();
  let lost = 0;
  /** Takes from the edges of a circle what the thinnest has left; what comes first is never lost. */
  const take = (circle: readonly number[]): void => {
    const links = circle
      .map((node, at) => node * size + (circle[(at + 1) % circle.length] ?? 0))
      .filter((link) => comesFirst[link] === 0);
    const least = Math.min(...links.map((link) => left[link] ?? 0));
    // The thinnest is 0 from here on, whatever floats leave of it.
    for (const link of links) left[link] = left[link] === least ? 0 : (left[link] ?? 0) - least;
    lost += least;
  };
  for (let one = 0; one < size; one++) {
    for (let other = 0; other < one; other++) {
      const [there, back] = [one * size + other, other * size + one];
      const against = comesFirst[there] === 1 ? back : comesFirst[back] === 1 ? there : undefined;
      if (against === undefined) {
        if ((left[there] ?? 0) > 0 && (left[back] ?? 0) > 0) take([one, other]);
      } else {
        lost += left[against] ?? 0;
        left[against] = 0;
      }
    }
  }
  const leads = (link: number) => comesFirst[link] === 1 || (left[link] ?? 0) > 0;
  const leaving: number[][] = Array.from({ length: size }, () => []);
  for (let link = 0; link < size * size; link++) {
    if (leads(link)) leaving[Math.floor(link / size)]?.push(link % size);
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
      const at = walk.indexOf(next);
      if (at < 0) walk.push(next);
      else {
        take(walk.slice(at));
        walk.length = at + 1;
      }
    }
  }
  return { lost, left };
}
