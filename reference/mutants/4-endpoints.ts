import type { Context, Middleware } from 'koa';
import { answerInstead } from './0-transport.ts';
import { alterBody, answerError, isOperation } from './alter-reply.ts';
import { refuseWhere } from './alter-request.ts';
import { bodyMutant } from './body-mutant.ts';
import type { Mutant } from './mutant.ts';

/** Gives each 400 of `/swap` another form. */
function refusals(change: (ctx: Context) => void): () => Middleware {
  return () => async (ctx, next) => {
    const isAsked = isOperation(ctx, 'swap');
    await next();
    if (isAsked && ctx.status === 400) change(ctx);
  };
}

function statusMutant(status: number, words: string): Mutant {
  return {
    id: `status/${status}-for-400`,
    clause: '4 status',
    caughtBy: 'endpoint/status',
    title: `invalid parameters give ${status} ${words} with an Error`,
    middleware: refusals((ctx) => {
      const { body } = ctx;
      ctx.status = status;
      ctx.body = body;
    }),
  };
}

const statuses: readonly Mutant[] = [
  statusMutant(404, 'Not Found'),
  statusMutant(422, 'Unprocessable Content'),
  statusMutant(503, 'Service Unavailable'),
  {
    id: 'status/201-for-200',
    clause: '4 status',
    caughtBy: 'endpoint/status',
    title: 'a plan comes with 201 Created where calldata was asked for',
    middleware: () => async (ctx, next) => {
      const isCalldata = /[?&]includeCalldata=true/.test(ctx.req.url ?? '');
      await next();
      if (isCalldata && ctx.status === 200) ctx.status = 201;
    },
  },
  {
    id: 'status/redirect',
    clause: '4 status',
    caughtBy: 'endpoint/status',
    title: 'plans for the second chain are to be fetched elsewhere',
    middleware: () => async (ctx, next) => {
      if (!isOperation(ctx, 'swap') || !/chainId=31338/.test(ctx.req.url ?? '')) return next();
      ctx.status = 302;
      ctx.set('Location', 'http://localhost:9/api/v1.0/swap');
      ctx.set('Content-Type', 'application/json');
      ctx.body = '{}';
    },
  },
  {
    id: 'error/html-page',
    clause: '0 content type',
    caughtBy: 'endpoint/content-type',
    title: 'a 400 comes as an HTML page',
    middleware: refusals((ctx) => {
      ctx.set('Content-Type', 'text/html');
      ctx.body = '<html><body><h1>400 Bad Request</h1></body></html>';
    }),
  },
  {
    id: 'error/plain-sentence',
    clause: '0 content type',
    caughtBy: 'endpoint/json',
    title: 'a 400 says what is wrong in a plain sentence, as application/json',
    middleware: refusals((ctx) => {
      ctx.body = 'Bad Request: a parameter is invalid.';
    }),
  },
  {
    id: 'error/with-200',
    clause: '7 400',
    caughtBy: 'error/not-with-200',
    title: 'an Error comes with status 200',
    middleware: refusals((ctx) => {
      ctx.status = 200;
    }),
  },
  {
    id: 'error/server-error-on-dust',
    clause: '7 500',
    caughtBy: 'endpoint/no-server-error',
    title: 'an amount too small for a plan gives 500',
    middleware: refusals((ctx) => {
      if (String(ctx.body).includes('AMOUNT_TOO_SMALL')) ctx.status = 500;
    }),
  },
];

const malformed: readonly Mutant[] = [
  {
    id: 'error/malformed-escape-fails',
    clause: '7 400',
    caughtBy: 'endpoint/malformed-query',
    title: 'what cannot be decoded gives 500',
    middleware: () => async (ctx, next) => {
      if (/%(?![0-9A-Fa-f]{2})/.test(ctx.req.url ?? '')) answerError(ctx, 500, 'URI_MALFORMED');
      else await next();
    },
  },
];

const responses: readonly Mutant[] = [
  bodyMutant(
    'swap',
    'swap/in-an-array',
    '4.1 response',
    'swap/response',
    'plans come in an array',
    (plan) => [plan],
  ),
  bodyMutant(
    'tokens',
    'tokens/in-an-object',
    '4.2 response',
    'tokens/response',
    'the tokens come inside an object',
    (tokens) => ({ tokens }),
  ),
  bodyMutant(
    'tokens',
    'tokens/addresses-alone',
    '4.2 response',
    'tokens/response',
    'the tokens come as addresses',
    (tokens) => tokens.map(({ address }) => address),
  ),
  bodyMutant(
    'chains',
    'chains/by-id',
    '4.3 response',
    'chains/response',
    'the chains come as an object by id',
    (chains) => Object.fromEntries(chains.map((chain) => [chain.chainId, chain])),
  ),
  bodyMutant(
    'chainInfo',
    'chain-info/in-an-array',
    '4.4 response',
    'chain-info/response',
    'the details of a chain come in an array',
    (info) => [info],
  ),
];

const operations: readonly Mutant[] = [
  {
    id: 'tokens/not-there',
    clause: '0 paths',
    caughtBy: 'endpoint/paths',
    title: '/tokens is 404',
    middleware: () => answerInstead('tokens', (ctx) => answerError(ctx, 404, 'NOT_FOUND')),
  },
  {
    id: 'chain-info/by-post',
    clause: '0 paths',
    caughtBy: 'endpoint/paths',
    title: '/chainInfo is 405 to a GET',
    middleware: () => answerInstead('chainInfo', (ctx) => answerError(ctx, 405, 'USE_POST')),
  },
  {
    id: 'chains/wants-a-body',
    clause: '4 get',
    caughtBy: 'endpoint/get',
    title: '/chains refuses requests without a body',
    middleware: () => refuseWhere('chains', () => true),
  },
  {
    id: 'chains/one-without-details',
    clause: '1.4 lookups',
    caughtBy: 'lookups/every-chain',
    title: '/chains lists a chain that the other lookups do not know',
    middleware: () =>
      alterBody('chains', (chains) => {
        chains.push({ chainId: 31_339, name: 'Soon' });
      }),
  },
  {
    id: 'tokens/not-of-the-second-chain',
    clause: '1.4 lookups',
    caughtBy: 'lookups/every-chain',
    title: '/tokens refuses the second chain',
    middleware: () => refuseWhere('tokens', (query) => query.get('chainId') === '31338'),
  },
  {
    id: 'chains/none',
    clause: '4.3 supported',
    caughtBy: 'chains/not-empty',
    title: '/chains is an empty list',
    middleware: () => alterBody('chains', () => []),
  },
  {
    id: 'plan/never',
    clause: '1.1 plan',
    caughtBy: 'plan/returned',
    title: 'no pair is answered with a plan',
    middleware: () => refuseWhere('swap', () => true),
  },
];

/** @see Specification 0, 1.4, 4 and 7 */
export const endpointMutants: readonly Mutant[] = [
  ...statuses,
  ...malformed,
  ...responses,
  ...operations,
];
