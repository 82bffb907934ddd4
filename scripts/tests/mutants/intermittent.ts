import type { Middleware } from 'koa';
import { middlewareOf, queryOf, replyError } from './faults/middleware.ts';
import { type MutantTable, withCommon } from './faults/mutant.ts';
import { after, everyNth, oneIn, onlyAtOnce } from './faults/occasions.ts';
import { overspend } from './faults/plans.ts';
import { put } from './faults/put.ts';
import { ANY, misread } from './faults/requests.ts';

function mixedUp(): Middleware {
  let last = '';
  return async (ctx, next) => {
    const before = last;
    last = queryOf(ctx).get('sellAmount') ?? last;
    const mixUp = middlewareOf({
      plan: ({ sell }, query) => {
        if (query.has('sellAmount') && before !== '') sell.amount = before;
      },
    });
    await mixUp(ctx, next);
  };
}

/** Intermittent faults. A run with too few requests misses them. */
export const intermittentMutants: MutantTable = {
  'sometimes/leak-in-one-of-twenty': {
    caughtBy: 'plan/conserves-sell',
    title: 'one plan in twenty spends one base unit too many',
    when: everyNth(20, 'swap'),
    plan: overspend,
  },
  ...withCommon({ when: oneIn(20) })({
    'sometimes/dangling-in-one-of-twenty': {
      caughtBy: 'trade-token/reference-resolves',
      title: 'one reply in twenty, at random, refers to a missing token',
      plan: put('buy', { referenceId: 99 }),
    },
    'sometimes/no-gas-limit-in-one-of-twenty': {
      caughtBy: 'swap/calldata-as-requested',
      title: 'one reply in twenty, at random, lacks `gasLimit`',
      plan: (plan) => ({ ...plan, gasLimit: undefined }),
    },
    'sometimes/error-without-message-in-one-of-twenty': {
      caughtBy: 'error/message',
      title: 'one Error in twenty, at random, lacks its `message`',
      error: ({ error, details = {} }) => ({ error, details }),
    },
    'sometimes/404-for-one-plan-in-twenty': {
      caughtBy: 'endpoint/status',
      title: 'one plan in twenty, at random, is not found',
      text: (_, ctx) => replyError(ctx, 404, 'NOT_FOUND'),
    },
    'sometimes/token-list-without-logo': {
      caughtBy: 'token-info/metadata-logo-uri',
      title: 'one token list in twenty, at random, has a token without its logo',
      tokens: put('0', { metadata: {} }),
    },
    'sometimes/chain-by-text': {
      caughtBy: 'chain/chain-id',
      title: 'one list of chains in twenty, at random, has its ids as text',
      chains: put('*', ({ chainId }) => ({ chainId: `${chainId}` })),
    },
    'sometimes/router-without-sources': {
      caughtBy: 'router-info/liquidity-sources',
      title: 'one /chainInfo in twenty, at random, has a router whose sources are null',
      chainInfo: put('routers.0', { liquiditySources: null }),
    },
  }),
  'sometimes/slippage-unchecked': {
    caughtBy: 'swap/slippage-tolerance',
    title: 'for one request in ten, at random, any tolerance is accepted',
    when: oneIn(10),
    query: misread('slippageTolerance', ANY, '0.01'),
  },
  'sometimes/key-unchecked': {
    caughtBy: 'swap/key-required',
    title: 'every fourth request to /swap needs no key',
    when: everyNth(4, 'swap'),
    query: (query) => {
      if (!query.get('apiKey')) query.set('apiKey', 'demo');
    },
  },
  'at-once/amounts-mixed-up': {
    caughtBy: 'swap/sell-amount-echoed',
    title: 'simultaneous requests receive each other’s amounts',
    when: onlyAtOnce(),
    middleware: mixedUp,
  },
  'at-once/server-error': {
    caughtBy: 'endpoint/no-server-error',
    title: 'simultaneous requests sometimes fail with 500',
    when: (broken) => onlyAtOnce()(oneIn(10)(broken)),
    middleware: () => (ctx) => replyError(ctx, 500, 'BUSY'),
  },
  'in-time/worn-out': {
    caughtBy: 'swap-response/routes',
    title: 'after 1,500 requests `routes` is null',
    when: after(1_500),
    plan: (plan) => ({ ...plan, routes: null }),
  },
  'in-time/stale-token-list': {
    caughtBy: 'token-info/decimals',
    title: 'after 500 requests /tokens has decimals as text',
    when: after(500),
    tokens: put('*', ({ decimals }) => ({ decimals: `${decimals}` })),
  },
};
