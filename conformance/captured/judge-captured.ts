import { setImmediate } from 'node:timers/promises';
import type { Exchange } from '../client/exchange.ts';
import { createRedactor } from '../client/redaction.ts';
import { inOurNames, type RouterNames } from '../client/router-names.ts';
import { ENDPOINTS } from '../contract/paths.ts';
import type { Report } from '../model/report.ts';
import { composeReport } from '../runner/compose-report.ts';
import { openJudging } from '../runner/judging.ts';
import type { JudgingOptions } from '../runner/run-options.ts';
import { createLearner } from './learn-facts.ts';

export type CapturedOptions = JudgingOptions & {
  readonly routerNames?: RouterNames | undefined;
  /** API keys in the requests; complete once all requests are read. */
  readonly apiKeys?: ReadonlySet<string>;
};

/** Captured replies: a list, or a function that reads them, which is called twice. */
export type Captured = readonly Exchange[] | (() => Iterable<Exchange> | AsyncIterable<Exchange>);

/**
 * Judges captured replies by the rules on replies. The rules know the service from the captured
 * lookups, in any order. Rules that need a service, or a kind of reply that was not captured, do
 * not apply.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches no rule.
 */
export async function judgeCaptured(
  captured: Captured,
  { routerNames = {}, ...options }: CapturedOptions,
): Promise<Report> {
  const judging = openJudging(
    options,
    ({ path, query }) => path.length + query.length,
    ({ kind }) => (kind === 'reply' ? undefined : NEEDS_SERVICE),
  );
  const { ledger, judge, startedAt } = judging;
  const counts = new Map<string, number>();
  let replies = 0;
  let withoutBody = 0;
  const learner = createLearner();
  for await (const exchange of untilAborted(captured, options.signal)) {
    learner.learn(inOurNames(exchange, routerNames));
  }
  const facts = learner.facts();
  for await (const exchange of untilAborted(captured, options.signal)) {
    if (exchange.outcome.kind === 'no-reply' || exchange.garbled) {
      withoutBody++;
      continue;
    }
    replies++;
    const operation = exchange.endpoint === undefined ? 'other paths' : `/${exchange.endpoint}`;
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    const named = inOurNames({ ...exchange, id: replies }, routerNames);
    judge(named, facts, {});
  }
  // A file cannot show that an operation was never available.
  for (const endpoint of ENDPOINTS) ledger.answered.add(endpoint);
  const durationMs = Date.now() - startedAt.getTime();
  return composeReport(judging, {
    redactor: createRedactor(...(options.apiKeys ?? [])),
    inScope: () => true,
    captured: counts,
    counts: {
      ...{ seed: 0, requests: 0, replies, durationMs, timings: [] },
      ...(withoutBody > 0 && { withoutBody }),
    },
  });
}

/** Probes send their own requests, and settlement rules execute new plans. */
const NEEDS_SERVICE = { why: 'a capture cannot reply to requests', needs: 'swapcheck test URL' };

const MAX_CHECK_INTERVAL_MS = 50;

async function* untilAborted(
  captured: Captured,
  signal: AbortSignal | undefined,
): AsyncGenerator<Exchange> {
  let checkedAt = performance.now();
  for await (const exchange of typeof captured === 'function' ? captured() : captured) {
    if (performance.now() - checkedAt > MAX_CHECK_INTERVAL_MS) {
      await setImmediate();
      checkedAt = performance.now();
    }
    if (signal?.aborted) return;
    yield exchange;
  }
}
