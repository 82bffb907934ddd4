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
    cycle: findCycle(whole, forward, backward),
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
 * Returns the tokens along one cycle; none where there is none. Tokens that no
 * other token leads into are taken away, one after another: what stays has a
 * predecessor that stays, so that a walk backwards closes a cycle.
 */
function findCycle(
  whole: readonly Ends[],
  forward: Index,
  backward: Index,
): readonly ReferenceId[] {
  const gone = takeAwayFree(whole, forward, backward);
  /** Two are enough to find one other than a token itself. */
  const staying = new Map(whole.map((ends) => [ends, firstTwo(ends.from, gone)]));
  const before = (id: ReferenceId): ReferenceId | undefined => {
    for (const ends of backward.get(id) ?? []) {
      const other = staying.get(ends)?.find((each) => each !== id);
      if (other !== undefined) return other;
    }
    return undefined;
  };
  const path = new Map<ReferenceId, number>();
  let id = [...forward.keys()].find((each) => !gone.has(each));
  for (; id !== undefined && !path.has(id); id = before(id)) path.set(id, path.size);
  if (id === undefined) return [];
  const [first, ...rest] = [...path.keys()].slice(path.get(id));
  return first === undefined ? [] : [first, ...rest.reverse()];
}

/** Returns the tokens that are on no cycle, nor behind one. A route's `from` are counted, never paired with its `to`. */
function takeAwayFree(
  whole: readonly Ends[],
  forward: Index,
  backward: Index,
): ReadonlySet<ReferenceId> {
  /** Routes that lead into a token from another one that is left. */
  const leads = new Map(
    [...backward].map(([id, all]) => [
      id,
      all.filter(({ from }) => from.length > 1 || (from.length === 1 && from[0] !== id)).length,
    ]),
  );
  const waysIn = new Map(whole.map((ends) => [ends, ends.from.length]));
  const gone = new Set<ReferenceId>();
  const free = [...new Set([...forward.keys(), ...backward.keys()])].filter((id) => !leads.get(id));
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    gone.add(id);
    for (const ends of forward.get(id) ?? []) {
      const left = (waysIn.get(ends) ?? 0) - 1;
      waysIn.set(ends, left);
      for (const next of freedBy(ends, id, left, gone)) {
        const still = (leads.get(next) ?? 0) - 1;
        leads.set(next, still);
        if (still === 0) free.push(next);
      }
    }
  }
  return gone;
}

/** Returns the tokens that a route leads into from no other token any more, now that `id` is gone. */
function freedBy(
  { from, to }: Ends,
  id: ReferenceId,
  waysIn: number,
  gone: ReadonlySet<ReferenceId>,
): readonly ReferenceId[] {
  if (waysIn === 0) return to.filter((each) => each !== id);
  const last = waysIn === 1 ? from.find((each) => !gone.has(each)) : undefined;
  return last !== undefined && to.includes(last) ? [last] : [];
}

function firstTwo(
  ids: readonly ReferenceId[],
  except: ReadonlySet<ReferenceId>,
): readonly ReferenceId[] {
  const found: ReferenceId[] = [];
  for (const id of ids) {
    if (!except.has(id)) found.push(id);
    if (found.length === 2) break;
  }
  return found;
}
