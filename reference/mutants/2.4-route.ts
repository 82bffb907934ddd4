import type { Route } from '../../conformance/contract/resources.ts';
import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';
import { put } from './faults/put.ts';

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/** @see Specification 2.4 and 2.5 */
export const routeMutants: MutantTable = {
  ...fieldMutants({
    rules: 'route/',
    reply: 'plan',
    path: 'routes.*',
    fields: {
      address: ['absent', 'null'],
      name: ['absent', 'as-array'],
      details: ['null', 'as-text'],
      fromTokens: ['absent', 'as-object'],
      toTokens: ['absent', { slug: 'alone', is: 'a token instead of an array', of: firstOf }],
    },
  }),
  ...fieldMutants({
    rules: 'route-token/',
    reply: 'plan',
    path: 'routes.*.fromTokens.*',
    fields: { referenceId: ['absent'], amount: ['as-number'] },
  }),
  ...fieldMutants({
    rules: 'route-token/',
    reply: 'plan',
    path: 'routes.*.toTokens.*',
    fields: { referenceId: ['as-text'], amount: ['absent', 'as-boolean'] },
  }),
  'route/open-ended': {
    caughtBy: 'route/two-ends',
    title: '`fromTokens` of the last route is empty',
    plan: put('routes.-1', { fromTokens: [] }),
  },
  'route/pool-address-cut': {
    caughtBy: 'route/address-hex',
    title: 'the address of the last pool lacks two digits',
    plan: put('routes.-1', ({ address }) => ({ address: address.slice(0, -2) })),
  },
  'route/pool-nowhere': {
    caughtBy: 'route/address-of-a-pool',
    title: 'the last pool has the zero address',
    plan: put('routes.-1', { address: `0x${'0'.repeat(40)}` }),
  },
  'route/name-with-version': {
    caughtBy: 'route/name-among-sources',
    title: 'the source of the last route is named as no router names it',
    plan: put('routes.-1', ({ name }) => ({ name: `${name}-1.2` })),
  },
  'route/source-of-another-router': {
    caughtBy: 'route/name-among-sources',
    title: 'universal-router plans through a source that it does not list',
    plan: put(
      'routes.-1',
      (_, { router }) => router === 'universal-router' && { name: 'SushiswapV2' },
    ),
  },
  'route-token/dangling': {
    caughtBy: 'route-token/reference-resolves',
    title: 'a token between is used by the routes and missing from `tokens`',
    plan: (plan) => {
      const ends = [plan.sell.referenceId, plan.buy.referenceId];
      plan.tokens = plan.tokens.filter(({ referenceId }) => ends.includes(referenceId));
    },
  },
  'route-token/moves-nothing': {
    caughtBy: 'route-token/moves-something',
    title: 'a route beside the last moves "0" for "0"',
    plan: ({ routes }) => {
      const last = routes.at(-1);
      const nothing = (legs: Route['fromTokens']) => legs.map((leg) => ({ ...leg, amount: '0' }));
      if (last === undefined) return;
      const { fromTokens, toTokens } = last;
      routes.push({ ...last, fromTokens: nothing(fromTokens), toTokens: nothing(toTokens) });
    },
  },
};
