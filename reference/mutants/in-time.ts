import type { Context, Middleware } from 'koa';
import { alterBody, answerError, queryOf } from './alter-reply.ts';
import type { Mutant } from './mutant.ts';
import { after, oneIn, onlyAtOnce, plans } from './now-and-then.ts';

/** Keeps what the last request asked to sell, where it should keep each apart. */
function mixedUp(): Middleware {
  let last = '';
  return async (ctx, next) => {
    const asked = queryOf(ctx).get('sellAmount') ?? last;
    const before = last;
    last = asked;
    await alterBody('swap', ({ sell }, query) => {
      if (query.has('sellAmount') && before !== '') sell.amount = before;
    })(ctx, next);
  };
}

/** Faults that only many requests show, at once or one after another. */
export const inTimeMutants: readonly Mutant[] = [
  {
    id: 'at-once/amounts-mixed-up',
    clause: '4.1 sellAmount',
    caughtBy: 'swap/sell-amount-echoed',
    title: 'requests at once get each other’s amounts',
    middleware: onlyAtOnce(mixedUp),
  },
  {
    id: 'at-once/server-error',
    clause: '7 500',
    caughtBy: 'endpoint/no-server-error',
    title: 'requests at once fail with 500 at times',
    middleware: onlyAtOnce(
      oneIn(10, () => (ctx: Context) => {
        answerError(ctx, 500, 'BUSY');
        return Promise.resolve();
      }),
    ),
  },
  {
    id: 'in-time/worn-out',
    clause: '2.1 routes',
    caughtBy: 'swap-response/routes',
    title: 'after 1,500 requests `routes` is null',
    middleware: after(
      1_500,
      plans((plan) => ({ ...plan, routes: null })),
    ),
  },
  {
    id: 'in-time/stale-token-list',
    clause: '2.6 decimals',
    caughtBy: 'token-info/decimals',
    title: 'after 500 requests /tokens has decimals as text',
    middleware: after(500, () =>
      alterBody('tokens', (tokens) =>
        tokens.map((token) => ({ ...token, decimals: `${token.decimals}` })),
      ),
    ),
  },
];
