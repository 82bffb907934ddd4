import type { Context } from 'koa';
import { appraise } from './appraise.ts';
import { type KeyRing, secretsOf } from './key-ring.ts';
import type { AnswerOperation } from './operations.ts';
import type { Page, PageFile } from './page.ts';
import { parseQuery, type Query } from './query.ts';
import {
  MALFORMED_QUERY,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  type Reply,
  type RequestState,
  replyBody,
  send,
} from './reply.ts';

/** Scripts, styles and requests of its own origin alone. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type AnswerQuery = (
  request: Parameters<AnswerOperation>[1],
  chainId: number,
) => Reply | Promise<Reply>;

/**
 * Returns what answers the paths that are no operation: the page's files, and
 * what it asks beside the operations; without a page, nothing. `/page/appraisal` and `/page/settlement`
 * take the query of `/swap`, the key included.
 */
export function servePage(
  page: Page | undefined,
  answer: AnswerOperation,
  keyRing: KeyRing,
): (ctx: Context, path: string) => void | Promise<void> {
  if (page === undefined) return (ctx) => send(ctx, NOT_FOUND);
  const asked: Readonly<Record<string, AnswerQuery>> = {
    '/page/appraisal': async (request, chainId) => {
      const reply = await answer('swap', request, appraise);
      if (reply.code) return reply;
      const whyUnsettled = page.whyUnsettled(chainId);
      return replyBody(JSON.stringify({ ...JSON.parse(`${reply.body}`), whyUnsettled }));
    },
    '/page/settlement': async (request) => {
      const [plan, chainInfo] = [await answer('swap', request), await answer('chainInfo', request)];
      if (plan.code) return plan;
      const query = new Map(
        [...request.query].flatMap(([name, [value]]) =>
          name === 'apiKey' || value === undefined ? [] : [[name, value] as const],
        ),
      );
      const settled = await page.settle({
        chainInfo: JSON.parse(`${chainInfo.body}`),
        plan: `${plan.body}`,
        query,
      });
      return replyBody(JSON.stringify(settled));
    },
  };
  return (ctx, path) => {
    const { method } = ctx.req;
    const file = page.files.get(path);
    const answerQuery = asked[path];
    if (!file && !answerQuery) return send(ctx, NOT_FOUND);
    if (method !== 'GET' && !(file && method === 'HEAD')) {
      ctx.set('Allow', file ? 'GET, HEAD' : 'GET');
      return send(ctx, METHOD_NOT_ALLOWED);
    }
    if (file) return sendFile(ctx, file);
    const query = parseQuery(ctx.req.url ?? '/');
    if (!query || !answerQuery) return send(ctx, MALFORMED_QUERY);
    const secrets = secretsOf(query, keyRing);
    const state: RequestState = ctx.state;
    state.noted = { query, secrets };
    const request = { query, secrets, isAbandoned: () => ctx.res.destroyed };
    return Promise.resolve(answerQuery(request, chainIdIn(query))).then((reply) =>
      send(ctx, reply),
    );
  };
}

function chainIdIn(query: Query): number {
  return Number(query.get('chainId')?.[0]);
}

function sendFile(ctx: Context, { type, body }: PageFile): void {
  ctx.set({
    'Content-Type': type,
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
  ctx.body = body;
}
