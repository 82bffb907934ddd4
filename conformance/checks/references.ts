import type { Leg, Plan, ReferenceId } from './plan.ts';

/** A reference id that is repeated, dangling or unused, and its place. */
export type ReferenceFault = { readonly referenceId: ReferenceId; readonly pointer: string };

/**
 * Returns the entries of `tokens` that repeat the reference id of an earlier entry.
 *
 * @see Specification 2.3 referenceId
 */
export function findRepeatedIds(plan: Plan): readonly ReferenceFault[] {
  const seen = new Set<ReferenceId>();
  const faults: ReferenceFault[] = [];
  for (const { referenceId, pointer } of plan.tokens) {
    if (seen.has(referenceId)) faults.push({ referenceId, pointer: `${pointer}/referenceId` });
    seen.add(referenceId);
  }
  return faults;
}

/** References that match no entry of `tokens`: from `sell` and `buy`, and from the routes. */
export type DanglingIds = {
  readonly ends: readonly ReferenceFault[];
  readonly routes: readonly ReferenceFault[];
};

/**
 * Returns the references that match no entry of `tokens`.
 *
 * @see Specification 2.2 and 2.5 referenceId
 */
export function findDanglingIds(plan: Plan): DanglingIds {
  const known = new Set<ReferenceId>();
  for (const { referenceId } of plan.tokens) known.add(referenceId);
  const addDangling = (faults: ReferenceFault[], legs: readonly Leg[]) => {
    for (const { referenceId, pointer } of legs) {
      if (!known.has(referenceId)) {
        faults.push({ referenceId, pointer: `${pointer}/referenceId` });
      }
    }
  };
  const ends: ReferenceFault[] = [];
  const routes: ReferenceFault[] = [];
  addDangling(ends, [plan.sell, plan.buy]);
  for (const { from, to } of plan.routes) {
    addDangling(routes, from);
    addDangling(routes, to);
  }
  return { ends, routes };
}

/**
 * Returns the entries of `tokens` that neither a side nor a route refers to.
 *
 * @see Specification 2.1 tokens
 */
export function findUnusedIds(plan: Plan): readonly ReferenceFault[] {
  const used = new Set<ReferenceId>([plan.sell.referenceId, plan.buy.referenceId]);
  for (const route of plan.routes) {
    for (const leg of route.from) used.add(leg.referenceId);
    for (const leg of route.to) used.add(leg.referenceId);
  }
  return plan.tokens.filter((token) => !used.has(token.referenceId));
}
