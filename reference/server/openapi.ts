import type { Context } from 'koa';
import { METHOD_NOT_ALLOWED, replyBody, send } from './reply.ts';

/** Where the OpenAPI document of the interface is served, without a key. */
export const OPENAPI_PATH = '/openapi.json';

let text: Promise<string> | undefined;

/** Answers with the OpenAPI document, which is made when it is first asked for. */
export async function sendOpenApi(ctx: Context): Promise<void> {
  if (ctx.method !== 'GET') {
    ctx.set('Allow', 'GET');
    return send(ctx, METHOD_NOT_ALLOWED);
  }
  text ??= import('../../conformance/contract/openapi.ts').then(({ openApiDocument }) =>
    JSON.stringify(openApiDocument()),
  );
  send(ctx, replyBody(await text));
  // Not `application/json`: forms change what the interface answers, not what describes it.
  ctx.set('Content-Type', 'application/openapi+json; charset=utf-8');
}
