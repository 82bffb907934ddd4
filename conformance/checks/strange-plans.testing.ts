import { balancePlan } from './conservation.ts';
import { planIn, readSwapBody } from './plan.ts';
import { inspectGraph } from './plan-graph.ts';
import { findDanglingIds, findRepeatedIds, findUnusedIds } from './references.ts';

/** Small documents with a huge number of paths or of equal parts. Each plan grows with `size`. */
export const STRANGE_PLANS: Readonly<Record<string, (size: number) => object>> = {
  'one route of n to n': (n) => planOf([route(ids(n), ids(n, n))], 2 * n),
  'one route of n to the same n': (n) => planOf([route(ids(n), ids(n))], n),
  'one route of n to the same n, reversed': (n) => planOf([route(ids(n), ids(n).reverse())], n),
  'routes that all share their tokens': (n) => {
    const side = Math.ceil(Math.sqrt(n));
    return planOf(Array(side).fill(route(ids(side), ids(side, side))), 2 * side);
  },
  'a chain behind a route that closes it': (n) =>
    planOf([route(ids(n, 0), ids(n)), ...ids(n).map((at) => route([at], [at + 1]))], n + 1),
  'n routes between two tokens': (n) => planOf(Array(n).fill(route([0], [1])), 1),
  'a chain': (n) =>
    planOf(
      ids(n, 0)
        .map((at) => route([at], [at + 1]))
        .reverse(),
      n,
    ),
  'a ring': (n) =>
    planOf(
      ids(n, 0).map((at) => route([at], [(at + 1) % n])),
      n,
    ),
  'a hub': (n) => planOf([...ids(n).map((at) => route([at], [0])), route([0], ids(n))], n),
  'a ladder': (n) =>
    planOf(
      ids(n, 0).map((at) => route([at], [at + 1, at + 2, 0])),
      n + 2,
    ),
  'tokens of one id': (n) => planOf([route([0], [1])], 1, Array(n).fill(1)),
  'routes to nowhere': (n) =>
    planOf(
      ids(n).map((at) => route([-at], [-at - n])),
      1,
    ),
  // If these ids were bigints, they would collide in a map, which hashes their last 64 bits.
  'ids that share their last 64 bits': (n) =>
    planOf(
      [],
      1,
      ids(n).map((at) => `#${BigInt(at) << 64n}`),
    ),
};

/** Runs every check on a plan. */
export function checkPlan(document: object): void {
  const plan = planIn(readSwapBody(document));
  if (plan === undefined) throw new Error('not a plan');
  inspectGraph(plan);
  balancePlan(plan, 1);
  findRepeatedIds(plan);
  findDanglingIds(plan);
  findUnusedIds(plan);
}

type Id = number | string;

function ids(size: number, first = 1): number[] {
  return Array.from({ length: size }, (_, at) => first + at);
}

function leg(referenceId: Id) {
  return { referenceId, amount: '1000' };
}

function route(from: readonly Id[], to: readonly Id[]) {
  return { address: '0x1', name: 'A', fromTokens: from.map(leg), toTokens: to.map(leg) };
}

function planOf(routes: readonly object[], last: number, tokens: readonly Id[] = ids(last + 1, 0)) {
  return {
    sell: leg(0),
    buy: leg(last),
    tokens: tokens.map((referenceId, at) => ({ referenceId, address: `0x${at.toString(16)}` })),
    routes,
  };
}
