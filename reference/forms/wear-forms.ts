import { gzipSync } from 'node:zlib';
import type { Middleware } from 'koa';
import type {
  Chain,
  ChainInfo,
  ErrorBody,
  SwapResponse,
  TokenInfo,
} from '../../conformance/contract/resources.ts';
import type { Form, JsonObject } from './form.ts';
import { FORMS, type FormName } from './forms.ts';

/**
 * Returns the function that gives a reply these forms, in the order of the
 * table. The same request has the same reply.
 *
 * @example
 * wearForms(['spread-json'])('/api/v1.0/chains?apiKey=demo', { status: 200, body: '[]' }).body // '\n[]\n'
 */
export function wearForms(names: readonly FormName[]) {
  const worn = new Set<string>(names);
  const forms: Form[] = Object.entries(FORMS).flatMap(([name, form]) =>
    worn.has(name) ? [form] : [],
  );
  return (target: string, plain: Plain, acceptsGzip = false) => {
    const reply: Changing = { status: plain.status, body: JSON.parse(plain.body) };
    for (const form of forms) change(reply, form, target);
    const headers: Record<string, string> = Object.assign({}, ...forms.map((form) => form.headers));
    const json = forms.reduce(
      (text, form) => form.text?.(text) ?? text,
      JSON.stringify(reply.body),
    );
    const { status } = reply;
    if (!acceptsGzip || !forms.some(({ isCompressed }) => isCompressed)) {
      return { status, headers, body: json };
    }
    return { status, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(json) };
  };
}

/** Returns middleware that gives every reply of JSON these forms. */
export function formsMiddleware(names: readonly FormName[]): Middleware {
  const wear = wearForms(names);
  return async (ctx, next) => {
    const target = ctx.req.url ?? '';
    await next();
    if (ctx.type !== 'application/json') return;
    const acceptsGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    const plain = { status: ctx.status, body: String(ctx.body) };
    const { status, headers, body } = wear(target, plain, acceptsGzip);
    ctx.status = status;
    for (const [name, value] of Object.entries(headers)) {
      ctx.remove(name);
      ctx.set(name, value);
    }
    ctx.body = body;
  };
}

/** A reply before it wears any form. */
type Plain = { readonly status: number; readonly body: string };

type Changing = { status: number; body: unknown };

function change(reply: Changing, form: Form, target: string): void {
  if (reply.status !== 200) {
    form.refusal?.(reply as Changing & { body: ErrorBody });
  } else {
    const [path = '', query] = target.split('?', 2);
    if (path.endsWith('/swap')) form.plan?.(reply.body as SwapResponse, new URLSearchParams(query));
    if (path.endsWith('/tokens')) form.tokens?.(reply.body as TokenInfo[]);
    if (path.endsWith('/chains')) form.chains?.(reply.body as Chain[]);
    if (path.endsWith('/chainInfo')) form.chainInfo?.(reply.body as ChainInfo);
  }
  if (form.object) reply.body = mapObjects(reply.body, form.object);
}

/** Returns any value of a body with each object in it changed, inner ones first. */
function mapObjects(value: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, mapObjects(each, change)]);
  return change(Object.fromEntries(entries));
}
