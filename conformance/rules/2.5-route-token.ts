import { findDanglingIds } from '../checks/references.ts';
import { RouteTokenSchema } from '../contract/resources.ts';
import { flowsOfPools, isTrueFlow } from '../execution/pool-flows.ts';
import type { Rule } from '../model/rule.ts';
import { quote } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { inPlan, none } from '../rule-kit/reply-judges.ts';
import { routeTokens } from '../rule-kit/reply-values.ts';
import { judgeSettlements } from '../rule-kit/settlement-rule.ts';

const ofPlan = { kind: 'reply', endpoint: 'swap' } as const;

/** "Amount in base units", of a swap: what its pool really took and gave, as the transfers of the transaction tell. */
const amountsAreTrue = judgeSettlements({
  id: 'execution/route-amounts',
  clause: '2.5 amount',
  level: 'should',
  title: 'on an unmoved market every route takes and gives the amounts that it says',
  needs: 'a settled trade whose pools move tokens themselves, on a market that stood still',
  judge: ({ ask, plan, mined, unmoved }, { tolerancePpm }) => {
    if (!unmoved || mined?.kind !== 'mined' || !mined.success) return undefined;
    const flows = flowsOfPools(plan, mined.logs);
    if (flows.length === 0) return undefined;
    const off = flows.find((flow) => !isTrueFlow(flow, plan, ask.trade, tolerancePpm));
    return {
      fault: off && {
        expected: `${off.planned} of ${off.token} ${off.side} ${quote(off.pool)}`,
        actual: `${off.moved} moved`,
        pointer: '/routes',
      },
    };
  },
});

/** @see Specification 2.5 */
export const rules: readonly Rule[] = [
  ...fieldRules({
    section: '2.5',
    slug: 'route-token',
    schema: RouteTokenSchema,
    endpoint: 'swap',
    objects: routeTokens,
  }),
  // "Refers to an entry in `tokens`".
  {
    ...ofPlan,
    id: 'route-token/reference-resolves',
    clause: '2.5 referenceId',
    level: 'must',
    title: 'the tokens of every route refer to entries of `tokens`',
    judge: none(
      inPlan(({ plan }) => (plan.routes.length === 0 ? undefined : findDanglingIds(plan).routes)),
      '`referenceId` of an entry of `tokens`',
      ({ referenceId }) => `${referenceId}, which no entry has`,
    ),
  },
  // A route that takes or gives nothing costs gas and does nothing.
  {
    ...ofPlan,
    id: 'route-token/moves-something',
    clause: '2.5 amount',
    level: 'should',
    title: 'no route moves nothing',
    judge: none(
      inPlan(({ plan: { routes } }) =>
        routes.length === 0
          ? undefined
          : routes
              .flatMap(({ from, to }) => [...from, ...to])
              .filter(({ amount }) => amount === 0n)
              .map(({ pointer }) => `${pointer}/amount`),
      ),
      'an amount above 0 at each end of a route',
      '"0"',
    ),
  },
  amountsAreTrue,
];
