import { findDanglingIds } from '../checks/references.ts';
import { RouteTokenSchema } from '../contract/resources.ts';
import type { ReplyRule } from '../model/rule.ts';
import { fieldRules } from './fields.ts';
import { verdictOf } from './findings.ts';
import { routeTokens } from './places.ts';
import { planOf } from './swap-view.ts';

/** "Refers to an entry in `tokens`". */
const routesAreListed: ReplyRule = {
  kind: 'reply',
  endpoint: 'swap',
  id: 'route-token/reference-resolves',
  clause: '2.5 referenceId',
  level: 'must',
  title: 'the tokens of every route refer to entries of `tokens`',
  judge: ({ reply }) => {
    const view = planOf(reply);
    if (view === undefined || view.plan.routes.length === 0) return undefined;
    return verdictOf(
      findDanglingIds(view.plan).routes.map(({ referenceId, pointer }) => ({
        expected: '`referenceId` of an entry of `tokens`',
        actual: `${referenceId}, which no entry has`,
        pointer,
      })),
    );
  },
};

/** A route that takes or gives nothing costs gas and does nothing. */
const routesMoveSomething: ReplyRule = {
  kind: 'reply',
  endpoint: 'swap',
  id: 'route-token/moves-something',
  clause: '2.5 amount',
  level: 'should',
  title: 'no route moves nothing',
  judge: ({ reply }) => {
    const view = planOf(reply);
    if (view === undefined || view.plan.routes.length === 0) return undefined;
    return verdictOf(
      view.plan.routes
        .flatMap((route) => [...route.from, ...route.to])
        .filter(({ amount }) => amount === 0n)
        .map(({ pointer }) => ({
          expected: 'an amount above 0 at each end of a route',
          actual: '"0"',
          pointer: `${pointer}/amount`,
        })),
    );
  },
};

/** @see Specification 2.5 */
export const routeTokenRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.5',
    slug: 'route-token',
    schema: RouteTokenSchema,
    endpoint: 'swap',
    places: routeTokens,
  }),
  routesAreListed,
  routesMoveSomething,
];
