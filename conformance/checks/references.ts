import type { Plan, ReferenceId } from './plan.ts';

/** A reference id that breaks its promise, and where. */
export type ReferenceFault = { readonly referenceId: ReferenceId; readonly pointer: string };

/** Returns the entries of `tokens` whose reference id an earlier entry has. @see Specification 2.3 referenceId */
export function findRepeatedIds(plan: Plan): readonly ReferenceFault[] {
  const seen = new Set<ReferenceId>();
  const faults: ReferenceFault[] = [];
  for (const { referenceId, pointer } of plan.tokens) {
    if (seen.has(referenceId)) faults.push({ referenceId, pointer: `${pointer}/referenceId` });
    seen.add(referenceId);
  }
  return faults;
}

/**
 * Returns the references that lead to no entry of `tokens`: of the two sides
 * (`ends`) and of the routes. @see Specification 2.2 and 2.5 referenceId
 */
export function findDanglingIds(plan: Plan): {
  readonly ends: readonly ReferenceFault[];
  readonly routes: readonly ReferenceFault[];
} {
  const known = new Set(plan.tokens.map(({ referenceId }) => referenceId));
  const dangling = (legs: Iterable<{ referenceId: ReferenceId; pointer: string }>) =>
    Array.from(legs)
      .filter((leg) => !known.has(leg.referenceId))
      .map((leg) => ({ referenceId: leg.referenceId, pointer: `${leg.pointer}/referenceId` }));
  return {
    ends: dangling([plan.sell, plan.buy]),
    routes: plan.routes.flatMap((route) => dangling([...route.from, ...route.to])),
  };
}

/** Returns the entries of `tokens` that neither a side nor a route refers to. @see Specification 2.1 tokens */
export function findUnusedIds(plan: Plan): readonly ReferenceFault[] {
  const used = new Set<ReferenceId>([plan.sell.referenceId, plan.buy.referenceId]);
  for (const route of plan.routes) {
    for (const leg of route.from) used.add(leg.referenceId);
    for (const leg of route.to) used.add(leg.referenceId);
  }
  return plan.tokens.filter((token) => !used.has(token.referenceId));
}
