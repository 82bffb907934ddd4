/** A directed edge between two numbered nodes. */
export type Edge = { readonly tail: number; readonly head: number };

/** Returns the nodes that edges lead to from a node, including that node. */
export function reachableFrom(edges: readonly Edge[], start: number): ReadonlySet<number> {
  return reach(edges, start, 'tail', 'head');
}

/** Returns the edges that lie on walks from one node to another, in the given order. */
export function edgesBetween<One extends Edge>(
  edges: readonly One[],
  from: number,
  to: number,
): One[] {
  const isFed = reach(edges, from, 'tail', 'head');
  const isDrained = reach(edges, to, 'head', 'tail');
  return edges.filter(({ tail, head }) => isFed.has(tail) && isDrained.has(head));
}

function reach(
  edges: readonly Edge[],
  start: number,
  near: keyof Edge,
  far: keyof Edge,
): ReadonlySet<number> {
  const reached = new Set([start]);
  for (let before = 0; before !== reached.size; ) {
    before = reached.size;
    for (const edge of edges) if (reached.has(edge[near])) reached.add(edge[far]);
  }
  return reached;
}

/** Returns the nodes that acyclic edges lead to from a node, in topological order. */
export function inTopologicalOrder(edges: readonly Edge[], start: number): readonly number[] {
  const done = new Set<number>();
  const visit = (node: number): void => {
    for (const { tail, head } of edges) if (tail === node && !done.has(head)) visit(head);
    done.add(node);
  };
  visit(start);
  return [...done].reverse();
}
