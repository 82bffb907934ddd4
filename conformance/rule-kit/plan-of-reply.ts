import { type BodyToken, type Plan, planIn, type ReferenceId, swapBodyIn } from '../checks/plan.ts';
import { type GraphFaults, inspectGraph } from '../checks/plan-graph.ts';
import { type DanglingIds, findDanglingIds } from '../checks/references.ts';
import { memoize } from '../checks/reply-body.ts';
import type { Reply } from '../client/exchange.ts';

/** A plan with its graph, read once for all the rules that judge them. */
export type PlanView = {
  readonly plan: Plan;
  readonly graph: GraphFaults;
  readonly dangling: DanglingIds;
};

/** Returns the plan of a `/swap` reply, or undefined where it is too malformed to follow. */
export const planOf: (reply: Reply) => PlanView | undefined = memoize((reply) => {
  const plan = planIn(swapBodyIn(reply));
  return plan === undefined
    ? undefined
    : { plan, graph: inspectGraph(plan), dangling: findDanglingIds(plan) };
});

/** Returns the token entry that a reference of a plan leads to; the first, where several do. */
export function tokenAt(reply: Reply, referenceId: ReferenceId): BodyToken | undefined {
  return planOf(reply)?.plan.tokens.find((token) => token.referenceId === referenceId);
}
