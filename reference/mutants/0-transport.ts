import { gzipSync } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { alterText, isOperation } from './alter-reply.ts';
import type { Mutant } from './mutant.ts';
import { everyNth } from './now-and-then.ts';

function textMutant(
  id: string,
  caughtBy: string,
  title: string,
  change: (text: string, ctx: Context) => string | Buffer,
): Mutant {
  const middleware = () => alterText('swap', change);
  return { id, clause: '0 content type', caughtBy, title, middleware };
}

const bodies: readonly Mutant[] = [
  textMutant('json/not-a-number', 'endpoint/json', 'a price is NaN', (text) =>
    text.replace(/"usdPrice":[^,}]+/, '"usdPrice":NaN'),
  ),
  textMutant('json/infinite', 'endpoint/json', 'a price is Infinity', (text) =>
    text.replace(/"nativeTokenUsdPrice":[^,}]+/, '"nativeTokenUsdPrice":Infinity'),
  ),
  textMutant('json/truncated', 'endpoint/json', 'the body ends before its last brace', (text) =>
    text.slice(0, -1),
  ),
  textMutant(
    'json/byte-order-mark',
    'endpoint/json',
    'the body begins with a mark',
    (text) => `\ufeff${text}`,
  ),
  textMutant('json/trailing-comma', 'endpoint/json', 'an array ends with a comma', (text) =>
    text.replace(/\](?=,"routes")/, ',]'),
  ),
  textMutant('json/single-quotes', 'endpoint/json', 'strings stand in single quotes', (text) =>
    text.replaceAll('"', "'"),
  ),
  textMutant('json/two-documents', 'endpoint/json', 'the body comes twice', (text) => text + text),
  textMutant('json/empty', 'endpoint/json', 'the body of a 200 is empty', () => ''),
  textMutant('json/latin-1', 'endpoint/json', 'the body is in Latin-1', (text) =>
    Buffer.from(text.replace('swapcheck', 'swapchéck'), 'latin1'),
  ),
  textMutant('json/key-twice', 'endpoint/unique-keys', '`router` stands twice', (text) =>
    text.replace('"router":', '"router":"default-router","router":'),
  ),
  textMutant(
    'content-type/text',
    'endpoint/content-type',
    'JSON comes as text/plain',
    (text, ctx) => {
      ctx.set('Content-Type', 'text/plain; charset=utf-8');
      return text;
    },
  ),
  textMutant('content-type/absent', 'endpoint/content-type', 'no type is given', (text, ctx) => {
    ctx.body = Buffer.from(text);
    ctx.remove('Content-Type');
    return text;
  }),
];

/** Ends the connection in the middle of what was promised, or gives nothing at all. */
function connectionMutant(id: string, title: string, answer: (ctx: Context) => void): Mutant {
  return {
    id,
    clause: '4 status',
    caughtBy: 'endpoint/answers',
    title,
    middleware: everyNth(20, 'swap', () => (ctx) => {
      ctx.respond = false;
      answer(ctx);
    }),
  };
}

const connections: readonly Mutant[] = [
  connectionMutant('connection/never-answers', 'one request in twenty has no answer', () => {}),
  connectionMutant('connection/reset', 'one connection in twenty is reset', (ctx) => {
    ctx.req.socket.resetAndDestroy();
  }),
  connectionMutant('connection/cut-in-the-body', 'one body in twenty is cut', (ctx) => {
    ctx.res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1_000 });
    ctx.res.write('{"aggregator":');
    setTimeout(() => ctx.req.socket.destroy(), 1).unref();
  }),
  connectionMutant('connection/no-http', 'one answer in twenty is no HTTP', (ctx) => {
    ctx.req.socket.end('no such thing as HTTP\r\n\r\n');
  }),
  connectionMutant('connection/gzip-broken', 'one gzip stream in twenty is broken', (ctx) => {
    const zipped = gzipSync('{"aggregator":"swapcheck"}').subarray(0, -9);
    ctx.res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
    ctx.res.end(zipped);
  }),
];

/** Answers every request to an operation with a status and body of another world. */
export function answerInstead(
  operation: 'swap' | 'tokens' | 'chains' | 'chainInfo',
  answer: (ctx: Context) => void,
): Middleware {
  return (ctx, next) => {
    if (!isOperation(ctx, operation)) return next();
    answer(ctx);
    return Promise.resolve();
  };
}

/** @see Specification 0 and 4: how replies travel */
export const transportMutants: readonly Mutant[] = [...bodies, ...connections];
