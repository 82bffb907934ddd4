import type { Leg, Plan, PlanRoute, ReferenceId } from './plan.ts';

/** What is wrong with the graph of a plan; every list empty is a sound graph. Routes are named by JSON pointer. */
export type GraphFaults = {
  /** One cycle, as the reference ids along it; empty in an acyclic plan. Self-loops are not counted here. */
  readonly cycle: readonly ReferenceId[];
  readonly sellReachesBuy: boolean;
  /** Routes that no path from the sell token to the buy token takes. */
  readonly offPath: readonly string[];
  /** Routes that swap a token for itself. */
  readonly selfLoops: readonly string[];
  readonly intoSell: readonly string[];
  readonly outOfBuy: readonly string[];
  /** Routes without a token at one of their ends. */
  readonly openEnded: readonly string[];
};

/**
 * Returns what is wrong with the graph whose nodes are tokens and whose edges
 * are routes. A route may join several tokens to several; it is a node of its
 * own inside, so that the time is linear in the size of the plan.
 *
 * @see Specification 1.1
 */
export function inspectGraph(plan: Plan): GraphFaults {
  const sell = plan.sell.referenceId;
  const buy = plan.buy.referenceId;
  const whole = plan.routes.map(endsOf);
  const selfLoops = whole.filter((ends) => meet(ends.from, ends.to));
  const forward = indexBy(whole, (ends) => ends.from);
  const backward = indexBy(whole, (ends) => ends.to);
  const fromSell = spread(sell, forward, (ends) => ends.to);
  const toBuy = spread(buy, backward, (ends) => ends.from);
  const pointers = (ends: readonly Ends[]) => ends.map((each) => each.pointer);
  const isSwap = sell !== buy;
  return {
    cycle: findCycle(forward),
    sellReachesBuy: fromSell.has(buy),
    offPath: pointers(
      whole.filter(
        ({ from, to }) => !(from.some((id) => fromSell.has(id)) && to.some((id) => toBuy.has(id))),
      ),
    ),
    selfLoops: pointers(selfLoops),
    intoSell: isSwap ? pointers(whole.filter(({ to }) => to.includes(sell))) : [],
    outOfBuy: isSwap ? pointers(whole.filter(({ from }) => from.includes(buy))) : [],
    openEnded: pointers(whole.filter(({ from, to }) => from.length === 0 || to.length === 0)),
  };
}

type Ends = {
  readonly from: readonly ReferenceId[];
  readonly to: readonly ReferenceId[];
  readonly pointer: string;
};

type Index = ReadonlyMap<ReferenceId, readonly Ends[]>;

function endsOf(route: PlanRoute): Ends {
  return { from: distinctIds(route.from), to: distinctIds(route.to), pointer: route.pointer };
}

function distinctIds(legs: readonly Leg[]): readonly ReferenceId[] {
  const ids = legs.map((leg) => leg.referenceId);
  return ids.length > 1 ? [...new Set(ids)] : ids;
}

function indexBy(all: readonly Ends[], side: (ends: Ends) => readonly ReferenceId[]): Index {
  const index = new Map<ReferenceId, Ends[]>();
  for (const ends of all) {
    for (const id of side(ends)) {
      const list = index.get(id);
      if (list === undefined) index.set(id, [ends]);
      else list.push(ends);
    }
  }
  return index;
}

function meet(one: readonly ReferenceId[], other: readonly ReferenceId[]): boolean {
  const [only] = one;
  if (only !== undefined && one.length === 1) return other.includes(only);
  const ids = new Set(one);
  return other.some((id) => ids.has(id));
}

/** Every token reached from one, itself included; each route is walked once. */
function spread(
  start: ReferenceId,
  index: Index,
  next: (ends: Ends) => readonly ReferenceId[],
): ReadonlySet<ReferenceId> {
  const reached = new Set<ReferenceId>([start]);
  const walked = new Set<Ends>();
  const queue: ReferenceId[] = [start];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const ends of index.get(id) ?? []) {
      if (walked.has(ends)) continue;
      walked.add(ends);
      for (const following of next(ends)) {
        if (reached.has(following)) continue;
        reached.add(following);
        queue.push(following);
      }
    }
  }
  return reached;
}

/**
 * Depth-first, with a stack of its own: a token met again while it is still
 * open closes a cycle, and the open tokens since then are the cycle.
 */
function findCycle(forward: Index): readonly ReferenceId[] {
  const closed = new Set<ReferenceId>();
  const openAt = new Map<ReferenceId, number>();
  const path: Step[] = [];
  const open = (id: ReferenceId) => {
    openAt.set(id, path.length);
    path.push({ id, next: successorsOf(id, forward), taken: 0 });
  };
  for (const root of forward.keys()) {
    if (!closed.has(root)) open(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.next[top.taken];
      top.taken += 1;
      if (next === undefined) {
        openAt.delete(top.id);
        closed.add(top.id);
        path.pop();
        continue;
      }
      const since = openAt.get(next);
      if (since !== undefined) return path.slice(since).map((step) => step.id);
      if (!closed.has(next)) open(next);
    }
  }
  return [];
}

type Step = { readonly id: ReferenceId; readonly next: readonly ReferenceId[]; taken: number };

function successorsOf(id: ReferenceId, forward: Index): readonly ReferenceId[] {
  const successors = (forward.get(id) ?? []).flatMap((ends) => ends.to);
  return successors.filter((next) => next !== id);
}
