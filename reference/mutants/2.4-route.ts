import type { Route, SwapResponse } from '../../conformance/contract/resources.ts';
import type { Change } from './alter-reply.ts';
import { planMutant } from './body-mutant.ts';
import {
  absent,
  asArray,
  asBoolean,
  asNull,
  asNumber,
  asObject,
  asText,
  becomes,
  fieldMutants,
} from './fields.ts';
import type { Mutant } from './mutant.ts';

const shapes: readonly Mutant[] = [
  ...fieldMutants({
    section: '2.4',
    slug: 'route',
    operation: 'swap',
    path: ['routes', '*'],
    rows: [
      ['address', absent, asNull],
      ['name', absent, asArray],
      ['details', asNull, asText],
      ['fromTokens', absent, asObject],
      ['toTokens', absent, becomes('alone', 'a token instead of an array', firstOf)],
    ],
  }),
  ...(['fromTokens', 'toTokens'] as const).flatMap((end) =>
    fieldMutants({
      section: '2.5',
      slug: 'route-token',
      operation: 'swap',
      path: ['routes', '*', end, '*'],
      rows:
        end === 'fromTokens'
          ? [
              ['referenceId', absent],
              ['amount', asNumber],
            ]
          : [
              ['referenceId', asText],
              ['amount', absent, asBoolean],
            ],
    }),
  ),
];

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

function lastRoute(change: (route: Route, plan: SwapResponse) => void): Change<SwapResponse> {
  return (plan) => {
    const last = plan.routes.at(-1);
    if (last) change(last, plan);
  };
}

const values: readonly Mutant[] = [
  planMutant(
    'route/open-ended',
    '2.4 fromTokens',
    'route/two-ends',
    '`fromTokens` of the last route is empty',
    lastRoute((route) => {
      route.fromTokens = [];
    }),
  ),
  planMutant(
    'route/pool-address-cut',
    '2.4 address',
    'route/address-hex',
    'the address of the last pool lacks two digits',
    lastRoute((route) => {
      route.address = route.address.slice(0, -2);
    }),
  ),
  planMutant(
    'route/pool-nowhere',
    '2.4 address',
    'route/address-of-a-pool',
    'the last pool has the zero address',
    lastRoute((route) => {
      route.address = `0x${'0'.repeat(40)}`;
    }),
  ),
  planMutant(
    'route/name-with-version',
    '2.9 liquiditySources',
    'route/name-among-sources',
    'the source of the last route is named as no router names it',
    lastRoute((route) => {
      route.name = `${route.name}-1.2`;
    }),
  ),
  planMutant(
    'route/source-of-another-router',
    '2.9 liquiditySources',
    'route/name-among-sources',
    'universal-router plans through a source that it does not list',
    lastRoute((route, plan) => {
      if (plan.router === 'universal-router') route.name = 'SushiswapV2';
    }),
  ),
  planMutant(
    'route-token/dangling',
    '2.5 referenceId',
    'route-token/reference-resolves',
    'a token between is used by the routes and missing from `tokens`',
    (plan) => {
      const ends = [plan.sell.referenceId, plan.buy.referenceId];
      plan.tokens = plan.tokens.filter(({ referenceId }) => ends.includes(referenceId));
    },
  ),
  planMutant(
    'route-token/moves-nothing',
    '2.5 amount',
    'route-token/moves-something',
    'a route beside the last moves "0" for "0"',
    lastRoute((route, plan) => {
      const nothing = (legs: Route['fromTokens']) => legs.map((leg) => ({ ...leg, amount: '0' }));
      const { fromTokens, toTokens } = route;
      plan.routes.push({
        ...route,
        fromTokens: nothing(fromTokens),
        toTokens: nothing(toTokens),
      });
    }),
  ),
];

/** @see Specification 2.4 and 2.5 */
export const routeMutants: readonly Mutant[] = [...shapes, ...values];
