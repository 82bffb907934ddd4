import { at } from '../domain/at.ts';
import type { Edge } from '../graph/reach.ts';

/**
 * A partial order of nodes, transitively closed. `comesFirst[a * size + b]` is 1 if `a` comes
 * before `b`.
 */
export type Precedence = { readonly size: number; readonly comesFirst: Uint8Array };

export function noPrecedence(size: number): Precedence {
  return { size, comesFirst: new Uint8Array(size * size) };
}

export function copyOf({ size, comesFirst }: Precedence): Precedence {
  return { size, comesFirst: comesFirst.slice() };
}

/** Returns the total order in which the nodes are listed. */
export function totalOrder(nodes: readonly number[]): Precedence {
  const size = nodes.length;
  const comesFirst = new Uint8Array(size * size);
  for (const [index, one] of nodes.entries()) {
    for (const other of nodes.slice(index + 1)) comesFirst[one * size + other] = 1;
  }
  return { size, comesFirst };
}

export function comesBefore({ size, comesFirst }: Precedence, one: number, other: number): boolean {
  return comesFirst[one * size + other] === 1;
}

/** Returns whether either order of two nodes is still possible. */
export function isUndecided(precedence: Precedence, one: number, other: number): boolean {
  return !comesBefore(precedence, one, other) && !comesBefore(precedence, other, one);
}

/**
 * Records that `first` comes before `then`, and everything that follows by transitivity. Has no
 * effect if the opposite is recorded.
 */
export function putBefore(precedence: Precedence, first: number, then: number): void {
  const { size, comesFirst } = precedence;
  if (first === then || comesFirst[then * size + first] === 1) return;
  if (comesFirst[first * size + then] === 1) return;
  const { before, after } = closureOf(precedence, first, then);
  for (const one of before) for (const other of after) comesFirst[one * size + other] = 1;
}

/** Weight of each edge, at index `tail * size + head`; 0 if the edge does not exist. */
export type EdgeWeights = Float64Array;

/** Returns the weight of the edges that run against the order if `first` is put before `then`. */
export function weightAgainst(
  precedence: Precedence,
  weights: EdgeWeights,
  first: number,
  then: number,
): number {
  const { before, after } = closureOf(precedence, first, then);
  let against = 0;
  for (const one of before) {
    for (const other of after) against += at(weights, other * precedence.size + one);
  }
  return against;
}

function closureOf({ size, comesFirst }: Precedence, first: number, then: number) {
  const before = [first];
  const after = [then];
  for (let node = 0; node < size; node++) {
    if (comesFirst[node * size + first] === 1) before.push(node);
    if (comesFirst[then * size + node] === 1) after.push(node);
  }
  return { before, after };
}

/** An edge between two nodes. Its weight is a share of the trade or a profit. */
export type WeightedEdge = Edge & { readonly weight: number };

/** Returns the edges that lie on cycles. */
export function cycleEdgesOf(
  size: number,
  edges: readonly WeightedEdge[],
): readonly WeightedEdge[] {
  const leads = new Uint8Array(size * size);
  let left = edges;
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const [isEntered, isLeft] = [new Uint8Array(size), new Uint8Array(size)];
    for (const { tail, head } of left) isLeft[tail] = isEntered[head] = 1;
    left = left.filter(({ tail, head }) => isEntered[tail] === 1 && isLeft[head] === 1);
  }
  for (const { tail, head } of left) leads[tail * size + head] = 1;
  const nodes = new Set(left.map(({ tail }) => tail));
  for (const by of nodes) {
    for (const from of nodes) {
      if (leads[from * size + by] === 0) continue;
      for (const to of nodes) if (leads[by * size + to] === 1) leads[from * size + to] = 1;
    }
  }
  return edges.filter(({ tail, head }) => leads[head * size + tail] === 1);
}

/**
 * Returns an order of the nodes in which edges of little weight run backward. Returns an empty
 * order if there are no edges. Repeatedly moves sinks to the back and sources to the front. If
 * neither exists, moves the node with the largest net outflow to the front.
 * @see https://doi.org/10.1016/0020-0190(93)90079-O (Eades, Lin, Smyth)
 */
export function orderAlong(edges: readonly WeightedEdge[]): readonly number[] {
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
