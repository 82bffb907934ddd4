import type { Leg, Plan, ReferenceId } from './plan.ts';

/**
 * Faults in the graph of a plan; in a correct graph every list is empty. Routes are identified by
 * JSON pointer.
 */
export type GraphFaults = {
  /**
   * The reference ids along one cycle; empty for an acyclic plan. Self-loops are listed separately.
   */
  readonly cycle: readonly ReferenceId[];
  readonly sellReachesBuy: boolean;
  /** Routes on no path from the sell token to the buy token. */
  readonly offPath: readonly string[];
  /** Routes that swap a token for itself. */
  readonly selfLoops: readonly string[];
  readonly intoSell: readonly string[];
  readonly outOfBuy: readonly string[];
  /** Routes that lack tokens at one end. */
  readonly openEnded: readonly string[];
};

/**
 * Returns the faults in the graph whose nodes are tokens and whose edges are routes. A route may
 * join several tokens to several others. Each route also becomes a node, so the time is linear in
 * the size of the plan.
 *
 * @see Specification 1.1
 */
export function inspectGraph(plan: Plan): GraphFaults {
  const { routes, nodes, sell, buy } = readGraph(plan);
  markReachable(sell, FROM_SELL, outOf, toOf);
  markReachable(buy, TO_BUY, into, fromOf);
  removeTokensOffCycles(routes, nodes);
  const offPath: string[] = [];
  const selfLoops: string[] = [];
  const intoSell: string[] = [];
  const outOfBuy: string[] = [];
  const openEnded: string[] = [];
  for (const { from, to, isLoop, pointer } of routes) {
    if (!isMarked(from, FROM_SELL) || !isMarked(to, TO_BUY)) offPath.push(pointer);
    if (isLoop) selfLoops.push(pointer);
    if (sell !== buy && to.includes(sell)) intoSell.push(pointer);
    if (sell !== buy && from.includes(buy)) outOfBuy.push(pointer);
    if (from.length === 0 || to.length === 0) openEnded.push(pointer);
  }
  const sellReachesBuy = (buy.marks & FROM_SELL) !== 0;
  const cycle = findCycle(routes);
  return { cycle, sellReachesBuy, offPath, selfLoops, intoSell, outOfBuy, openEnded };
}

function isMarked(nodes: readonly Node[], mark: number): boolean {
  for (const { marks } of nodes) if ((marks & mark) !== 0) return true;
  return false;
}

/** Marks of a token: reachable from the sell token; leads to the buy token. */
const FROM_SELL = 1;
const TO_BUY = 2;

class Node {
  readonly id: ReferenceId;
  readonly out: Route[] = [];
  readonly into: Route[] = [];
  marks = 0;
  /** Number of routes that lead into this token from another remaining token. */
  leads = 0;
  /** True once the token is removed, because it is neither on a cycle nor reachable from one. */
  isRemoved = false;

  constructor(id: ReferenceId) {
    this.id = id;
  }
}

class Route {
  readonly from: Node[] = [];
  readonly to: Node[] = [];
  readonly pointer: string;
  marks = 0;
  /** True if a token is both an input and an output of the route. */
  isLoop = false;
  /** Number of removed tokens in `from`. */
  removed = 0;

  constructor(pointer: string) {
    this.pointer = pointer;
  }
}

const isStaying = ({ isRemoved }: Node) => !isRemoved;
const outOf = ({ out }: Node) => out;
const into = (node: Node) => node.into;
const toOf = ({ to }: Route) => to;
const fromOf = ({ from }: Route) => from;

function readGraph(plan: Plan) {
  const nodes = new Map<ReferenceId, Node>();
  const nodeOf = ({ referenceId }: Leg): Node => {
    const known = nodes.get(referenceId);
    if (known !== undefined) return known;
    const node = new Node(referenceId);
    nodes.set(referenceId, node);
    return node;
  };
  const routes = plan.routes.map(({ from, to, pointer }) => {
    const route = new Route(pointer);
    for (const leg of from) {
      const node = nodeOf(leg);
      if (node.out.at(-1) === route) continue;
      node.out.push(route);
      route.from.push(node);
    }
    for (const leg of to) {
      const node = nodeOf(leg);
      if (node.into.at(-1) === route) continue;
      node.into.push(route);
      route.to.push(node);
      if (node.out.at(-1) === route) route.isLoop = true;
    }
    return route;
  });
  const [sell, buy] = [nodeOf(plan.sell), nodeOf(plan.buy)];
  return { routes, nodes: nodes.values(), sell, buy };
}

function markReachable(
  start: Node,
  mark: number,
  routesAt: (node: Node) => readonly Route[],
  next: (route: Route) => readonly Node[],
): void {
  start.marks |= mark;
  const queue: Node[] = [start];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const route of routesAt(node)) {
      if ((route.marks & mark) !== 0) continue;
      route.marks |= mark;
      for (const following of next(route)) {
        if ((following.marks & mark) !== 0) continue;
        following.marks |= mark;
        queue.push(following);
      }
    }
  }
}

/**
 * Expects that `removeTokensOffCycles` has run. Every remaining token then has a remaining
 * predecessor, so a walk backward closes a cycle.
 */
function findCycle(routes: readonly Route[]): readonly ReferenceId[] {
  let node: Node | undefined;
  for (const { from } of routes) {
    node = from.find(isStaying);
    if (node !== undefined) break;
  }
  if (node === undefined) return [];
  /** Two predecessors per route suffice: at least one of the two differs from the token itself. */
  const staying = new Map(routes.map((route) => [route, route.from.filter(isStaying).slice(0, 2)]));
  const before = (one: Node): Node | undefined => {
    for (const route of one.into) {
      const other = staying.get(route)?.find((each) => each !== one);
      if (other !== undefined) return other;
    }
    return undefined;
  };
  const path = new Map<Node, number>();
  for (; node !== undefined && !path.has(node); node = before(node)) path.set(node, path.size);
  if (node === undefined) return [];
  const [first, ...rest] = [...path.keys()].slice(path.get(node)).map(({ id }) => id);
  return first === undefined ? [] : [first, ...rest.reverse()];
}

/**
 * Repeatedly removes tokens without a predecessor. Only counts the tokens in `from` instead of
 * pairing each with every token in `to`, so the time remains linear.
 */
function removeTokensOffCycles(routes: readonly Route[], nodes: Iterable<Node>): void {
  for (const { from, to } of routes) {
    for (const node of to) {
      if (from.length > 1 || (from.length === 1 && from[0] !== node)) node.leads++;
    }
  }
  const free: Node[] = [];
  for (const node of nodes) if (node.leads === 0) free.push(node);
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    node.isRemoved = true;
    for (const route of node.out) {
      route.removed++;
      for (const next of withoutRemainingPredecessor(route, node)) {
        next.leads--;
        if (next.leads === 0) free.push(next);
      }
    }
  }
}

function withoutRemainingPredecessor(route: Route, node: Node): readonly Node[] {
  const { from, to } = route;
  const left = from.length - route.removed;
  if (left === 0) return route.isLoop ? to.filter((each) => each !== node) : to;
  // The other tokens in `from` lead into a token at both ends until only that token remains.
  return left === 1 && route.isLoop ? from.filter(isStaying) : [];
}
