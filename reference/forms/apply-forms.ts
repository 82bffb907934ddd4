import { gzipSync } from 'node:zlib';
import type { Middleware } from 'koa';
import type {
  Chain,
  ChainInfo,
  SwapResponse,
  TokenInfo,
} from '../../conformance/contract/resources.ts';
import type { ErrorReply, Form, JsonObject } from './form.ts';
import { FORMS, type FormName } from './forms.ts';

type PlainReply = { readonly status: number; readonly body: string };

/**
 * Returns a function that applies forms to a reply, in the order of `FORMS`. Equal requests have
 * equal replies.
 * @example
 * applyForms(['spread-json'])('/api/v1.0/chains?apiKey=demo', { status: 200, body: '[]' }).body //
 * '\n[]\n'
 */
function applyForms(names: readonly FormName[]) {
  const forms = formsOf(names);
  const headers: Record<string, string> = Object.assign({}, ...forms.map((form) => form.headers));
  return (target: string, plain: PlainReply, acceptsGzip = false) => {
    const reply = { status: plain.status, body: JSON.parse(plain.body) as unknown };
    for (const form of forms) change(reply, form, target);
    const { status, body } = reply;
    const json = forms.reduce((text, form) => form.text?.(text) ?? text, JSON.stringify(body));
    if (!acceptsGzip || !forms.some(({ isCompressed }) => isCompressed)) {
      return { status, headers, body: json };
    }
    return { status, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(json) };
  };
}

/** Returns middleware that applies forms to every JSON reply. */
export function formsMiddleware(names: readonly FormName[]): Middleware {
  const apply = applyForms(names);
  const forms = formsOf(names);
  return async (ctx, next) => {
    const target = ctx.req.url ?? '';
    ctx.req.url = requestOf(target, forms);
    await next();
    if (ctx.type !== 'application/json') return;
    const acceptsGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    // Copies the body, since the service caches its bodies.
    const plain = { status: ctx.status, body: JSON.stringify(ctx.body) };
    const { status, headers, body } = apply(target, plain, acceptsGzip);
    ctx.status = status;
    for (const [name, value] of Object.entries(headers)) {
      ctx.remove(name);
      ctx.set(name, value);
    }
    ctx.body = body;
  };
}

function formsOf(names: readonly FormName[]): readonly Form[] {
  const requested = new Set<string>(names);
  return Object.entries(FORMS).flatMap(([name, form]) => (requested.has(name) ? [form] : []));
}

/** Applies the forms to a request's query. An unchanged query keeps its encoding. */
function requestOf(target: string, forms: readonly Form[]): string {
  const { path, query } = partsOf(target);
  const before = query.toString();
  for (const { request } of forms) request?.(query);
  const after = query.toString();
  return after === before ? target : `${path}?${after}`;
}

function partsOf(target: string) {
  const [path = '', ...rest] = target.split('?');
  return { path, query: new URLSearchParams(rest.join('?')) };
}

function change(reply: { status: number; body: unknown }, form: Form, target: string): void {
  if (reply.status !== 200) {
    form.error?.(reply as ErrorReply);
  } else {
    const { path, query } = partsOf(target);
    if (path.endsWith('/swap')) form.plan?.(reply.body as SwapResponse, query);
    if (path.endsWith('/tokens')) form.tokens?.(reply.body as TokenInfo[], query);
    if (path.endsWith('/chains')) form.chains?.(reply.body as Chain[]);
    if (path.endsWith('/chainInfo')) form.chainInfo?.(reply.body as ChainInfo);
  }
  if (form.object) reply.body = mapObjects(reply.body, form.object);
}

function mapObjects(value: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, mapObjects(each, change)]);
  return change(Object.fromEntries(entries));
}
