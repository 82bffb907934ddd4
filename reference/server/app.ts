import Koa, { type Context, type Middleware } from 'koa';
import { type Logger, pino } from 'pino';
import { PATHS } from '../../conformance/contract/paths.ts';
import { ENCODERS } from '../encoding/encoders.ts';
import { testMakers } from '../makers/test-maker.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import { createRecentCache } from '../planner/domain/recent-cache.ts';
import { createPlanner } from '../planner/planner.ts';
import { describeRequest, logChange, logFailure, logKnown, logRequests } from './access-log.ts';
import { DEMO_API_KEY } from './demo-api-key.ts';
import { refuseEarly } from './early-refusal.ts';
import { ringOf, secretsOf } from './key-ring.ts';
import { createOperations, type Operation } from './operations.ts';
import type { ReferenceOptions } from './options.ts';
import { PARAMETERS } from './parameters.ts';
import { createPlanningQueue } from './planning-queue.ts';
import { parseQuery, pathOf } from './query.ts';
import {
  MALFORMED_QUERY,
  METHOD_NOT_ALLOWED,
  type Reply,
  type RequestState,
  replyBody,
  send,
} from './reply.ts';
import { servePage } from './serve-page.ts';

/** A lookup that was answered: while the service runs its reply stays the same. */
type KnownLookup = { readonly logger: Logger; readonly reply: Reply };

const MAX_KNOWN_LOOKUPS = 256;
const OPERATIONS = new Map(
  (Object.keys(PARAMETERS) as Operation[]).map((name) => [`${PATHS[name]}`, name]),
);

/**
 * Returns the reference service as a Koa application, for `listen` or, by its
 * `callback()`, for supertest and embedding. Its defaults serve the embedded
 * markets to the key `demo`, without a log.
 *
 * @example
 * await request(createApp().callback()).get('/api/v1.0/chains?apiKey=demo')
 */
export function createApp(options: ReferenceOptions = {}): Koa {
  const keyRing = options.keyRing ?? ringOf(options.apiKeys ?? [DEMO_API_KEY]);
  const logger = options.logger ?? pino({ level: 'silent' });
  const { metrics } = options;
  const { queue, planner, markets, follow } = watched(options, logger);
  const answer = createOperations({
    markets,
    follow,
    keyRing,
    clock: options.clock ?? Date.now,
    planner,
    encoders: options.encoders ?? ENCODERS,
    planCacheSize: options.planCacheSize ?? 4096,
    queue,
    makers: options.makers ?? testMakers(),
    onMissingQuote: (missing) => logger.warn(missing, 'planned without a maker'),
  });
  const answerElse = servePage(options.page, answer, keyRing);
  const lookups = createRecentCache<KnownLookup>(MAX_KNOWN_LOOKUPS);

  const answerKnown: Middleware = (ctx, next) => {
    const known = ctx.req.method === 'GET' ? lookups.get(ctx.req.url ?? '/') : undefined;
    if (!known) return next();
    const startedAt = performance.now();
    send(ctx, known.reply);
    logKnown(known.logger, ctx, startedAt);
    return;
  };

  // Synchronous where the answer is: trades that are kept wait for nothing.
  const dispatch: Middleware = (ctx) => {
    const target = ctx.req.url ?? '/';
    const path = pathOf(target);
    const operation = OPERATIONS.get(path);
    if (!operation) return path === OPENAPI_PATH ? sendOpenApi(ctx) : answerElse(ctx, path);
    const state: RequestState = ctx.state;
    state.operation = path;
    if (ctx.req.method !== 'GET') {
      ctx.set('Allow', 'GET');
      return send(ctx, METHOD_NOT_ALLOWED);
    }
    const query = parseQuery(target);
    if (!query) return send(ctx, MALFORMED_QUERY);
    const secrets = secretsOf(query, keyRing);
    state.noted = { query, secrets };
    const reply = answer(operation, { query, secrets, isAbandoned: () => ctx.res.destroyed });
    if (reply instanceof Promise) return reply.then((planned) => send(ctx, planned));
    if (keyRing.isFixed && operation !== 'swap' && !reply.code) {
      const described = logger.child(describeRequest(ctx, state, keyRing));
      lookups.set(target, { logger: described, reply });
    }
    return send(ctx, reply);
  };

  const app = new (class extends Koa {
    override callback(): ReturnType<Koa['callback']> {
      const listener = refuseEarly(queue, logger, super.callback());
      return (metrics?.meterRequests(listener) ?? listener) as ReturnType<Koa['callback']>;
    }
  })();
  app.on('error', (error: unknown) => logFailure(logger, error));
  // Where middleware wants to see every reply, none is answered before it.
  if (!options.middleware?.length) app.use(answerKnown);
  app.use(logRequests(logger, keyRing));
  for (const middleware of options.middleware ?? []) app.use(middleware);
  app.use(dispatch);
  return app;
}

/** Returns what plans, and of which markets; what becomes of them is logged, and counted where that is wanted. */
function watched({ metrics, planningLimits, ...options }: ReferenceOptions, logger: Logger) {
  const markets = options.markets ?? loadEmbeddedMarkets();
  for (const { chainId, block } of markets) metrics?.setBlockTime(chainId, block.timestamp);
  const queue = createPlanningQueue(planningLimits);
  const planner = options.planner ?? createPlanner();
  const follow: NonNullable<ReferenceOptions['follow']> = (onChange) =>
    options.follow?.((change) => {
      logChange(logger, change);
      metrics?.countChange(change);
      onChange(change);
    });
  return {
    markets,
    follow,
    queue: metrics?.meterQueue(queue) ?? queue,
    planner: metrics?.meterPlans(planner) ?? planner,
  };
}

/** Where the OpenAPI document of the interface is served, without a key. */
const OPENAPI_PATH = '/openapi.json';

let text: Promise<string> | undefined;

/** Answers with the OpenAPI document, which is made when it is first asked for. */
async function sendOpenApi(ctx: Context): Promise<void> {
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
