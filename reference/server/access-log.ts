import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { MarketChange } from '../market/market.ts';
import type { KeyRing } from './key-ring.ts';
import { PARAMETERS } from './parameters.ts';
import { parseQuery, pathOf } from './query.ts';
import { redact } from './redact.ts';
import { INTERNAL_ERROR, type RequestState, send } from './reply.ts';

/** The parameters that are logged: all of the specification but the key. */
const LOGGED = new Set(Object.values(PARAMETERS).flatMap((table) => Object.keys(table)));

/**
 * Returns the outermost middleware: it answers a failure of ours with 500, and
 * logs one line a request with method, path, parameters, status, the `error`
 * value of a refusal, duration, and `abandoned` where the client had hung up.
 *
 * The target is never logged as it came: only decoded parameters that the
 * specification names, without the key, and with every key in them redacted.
 */
export function logRequests(logger: Logger, keyRing: KeyRing): Middleware {
  const log = (ctx: Context, startedAt: number): void => {
    if (!logger.isLevelEnabled('info')) return;
    const state: RequestState = ctx.state;
    const { statusCode: status, destroyed } = ctx.res;
    const { method, path, query } = describeRequest(ctx, state, keyRing);
    const abandoned = destroyed || undefined;
    const ms = millisecondsSince(startedAt);
    logger.info({ method, path, query, status, error: state.code, ms, abandoned });
  };
  // On the path of every request: a chained promise costs less than an awaited one.
  return (ctx, next) => {
    const startedAt = performance.now();
    return next().then(
      () => log(ctx, startedAt),
      (error: unknown) => {
        logger.error({ err: error }, 'failed to answer');
        send(ctx, INTERNAL_ERROR);
        log(ctx, startedAt);
      },
    );
  };
}

/** Logs a reply to a request that `logger` already describes. */
export function logKnown(logger: Logger, { res }: Context, startedAt: number): void {
  logger.info({ status: res.statusCode, ms: millisecondsSince(startedAt) });
}

/**
 * Returns what the log tells of a request before its reply: method, path and
 * parameters.
 */
export function describeRequest(
  { req }: Context,
  { operation, noted }: RequestState,
  keyRing: KeyRing,
): { method: string | undefined; path: string; query: Record<string, string> | undefined } {
  return {
    method: req.method,
    path: operation ?? describeUnknownPath(req.url ?? '/', keyRing),
    query: noted && describeQuery(noted),
  };
}

/** Logs what broke outside any middleware; a client that hung up is no failure of ours. */
export function logFailure(logger: Logger, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    logger.info({ code }, 'client hung up');
  } else logger.error({ err: error }, 'failed to send');
}

/** Logs what became of a market that is served live. */
export function logChange(logger: Logger, change: MarketChange): void {
  const { chainId } = change;
  if (change.kind === 'lost') {
    logger.warn({ chainId, why: change.why }, 'market lost');
    return;
  }
  const { number, hash } = change.market.block;
  logger.info({ chainId, block: number, hash }, 'market read');
}

function millisecondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}

function describeQuery({
  query,
  secrets,
}: NonNullable<RequestState['noted']>): Record<string, string> {
  const described: Record<string, string> = {};
  for (const [name, values] of query) {
    if (LOGGED.has(name)) described[name] = redact(values.join(', '), secrets);
  }
  return described;
}

/** A path that is no operation may hold anything, a key too. */
function describeUnknownPath(target: string, keyRing: KeyRing): string {
  const path = parseQuery(`?path=${pathOf(target)}`)?.get('path')?.[0];
  const ownKeys = parseQuery(target)?.get('apiKey') ?? [];
  if (path === undefined) return '(malformed)';
  return redact(path, [...keyRing.secretsIn([path]), ...ownKeys]);
}
