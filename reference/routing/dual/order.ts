/** Which nodes must come before which: `comesFirst[a * size + b]` is 1 if `a` comes before `b`; transitive. */
export type Precedence = { readonly size: number; readonly comesFirst: Uint8Array };

export function noPrecedence(size: number): Precedence {
  return { size, comesFirst: new Uint8Array(size * size) };
}

/** Returns whether `first` can come before `then`, which holds from now on, with all that follows from it. */
export function putBefore({ size, comesFirst }: Precedence, first: number, then: number): boolean {
  if (first === then || comesFirst[then * size + first] === 1) return false;
  if (comesFirst[first * size + then] === 1) return true;
  const before = [first];
  const after = [then];
  for (let node = 0; node < size; node++) {
    if (comesFirst[node * size + first] === 1) before.push(node);
    if (comesFirst[then * size + node] === 1) after.push(node);
  }
  for (const one of before) for (const other of after) comesFirst[one * size + other] = 1;
  return true;
}

/** An edge from one node to another, and how much of the trade it carries. */
export type Edge = { readonly tail: number; readonly head: number; readonly weight: number };

/** Returns of the shortest circles that whose thinnest edge weighs most, this edge first; `undefined` if there is none. */
export function shortestCircle(size: number, edges: readonly Edge[]): readonly Edge[] | undefined {
  const leaving: Edge[][] = Array.from({ length: size }, () => []);
  for (const edge of edges) leaving[edge.tail]?.push(edge);
  for (const out of leaving) out.sort((a, b) => b.weight - a.weight);
  let best: readonly Edge[] | undefined;
  for (const edge of edges) {
    const circle = circleThrough(edge, leaving, best?.length ?? size);
    if (circle === undefined) continue;
    const isBetter =
      best === undefined ||
      circle.length < best.length ||
      thinnest(circle).weight > thinnest(best).weight;
    if (isBetter) best = circle;
  }
  if (best === undefined) return undefined;
  const at = best.indexOf(thinnest(best));
  return [...best.slice(at), ...best.slice(0, at)];
}

function thinnest(circle: readonly Edge[]): Edge {
  return circle.reduce((least, edge) => (edge.weight < least.weight ? edge : least));
}

/** Searches in breadth, up to a length. */
function circleThrough(
  first: Edge,
  leaving: readonly (readonly Edge[])[],
  longest: number,
): readonly Edge[] | undefined {
  const cameBy = new Map([[first.head, first]]);
  let front = [first.head];
  for (let length = 2; length <= longest && front.length > 0; length++) {
    const next: number[] = [];
    for (const node of front) {
      for (const edge of leaving[node] ?? []) {
        if (edge.head === first.tail) return [...trailTo(first, edge, cameBy)];
        if (cameBy.has(edge.head)) continue;
        cameBy.set(edge.head, edge);
        next.push(edge.head);
      }
    }
    front = next;
  }
  return undefined;
}

function trailTo(first: Edge, last: Edge, cameBy: ReadonlyMap<number, Edge>): readonly Edge[] {
  const trail = [last];
  for (let edge = last; edge !== first; trail.push(edge)) edge = cameBy.get(edge.tail) ?? first;
  return trail.reverse();
}

/**
 * Returns the nodes in an order against which little weight runs: what nothing
 * enters goes to the front, what nothing leaves to the back, else that to the
 * front of which most more leaves than enters. Without circles nothing runs
 * against it.
 *
 * @see https://doi.org/10.1016/0020-0190(93)90079-O (Eades, Lin, Smyth)
 */
export function orderAlong(edges: readonly Edge[]): readonly number[] {
  const left = new Set(edges.flatMap(({ tail, head }) => [tail, head]));
  const front: number[] = [];
  const back: number[] = [];
  while (left.size > 0) {
    const out = new Map<number, number>();
    const into = new Map<number, number>();
    for (const { tail, head, weight } of edges) {
      if (!left.has(tail) || !left.has(head)) continue;
      out.set(tail, (out.get(tail) ?? 0) + weight);
      into.set(head, (into.get(head) ?? 0) + weight);
    }
    const nodes = [...left];
    const sink = nodes.find((node) => !out.has(node));
    const source = nodes.find((node) => !into.has(node));
    const surplusOf = (node: number) => (out.get(node) ?? 0) - (into.get(node) ?? 0);
    const chosen = sink ?? source ?? nodes.reduce((a, b) => (surplusOf(b) > surplusOf(a) ? b : a));
    left.delete(chosen);
    (sink === undefined ? front : back).push(chosen);
  }
  return [...front, ...back.reverse()];
}
