import { setImmediate } from 'node:timers/promises';
import type { Access } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import { createRedactor } from '../client/redaction.ts';
import { type RouterNames, toSpecifiedNames } from '../client/router-names.ts';
import { ENDPOINTS } from '../contract/paths.ts';
import { bodyOf, readChainInfo, readList } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Report } from '../model/report.ts';
import { judgesMissingReplies } from '../model/rule.ts';
import { composeReport, describeInterruption } from '../runner/compose-report.ts';
import { createReplyJudge, openJudging } from '../runner/judging.ts';
import type { JudgingOptions } from '../runner/run-options.ts';

export type CapturedOptions = JudgingOptions &
  Pick<Access, 'routerNames'> & {
    /** API keys from the requests. The set is complete only after all requests have been read. */
    readonly apiKeys?: ReadonlySet<string>;
  };

/** Captured replies: a list, or a function that reads them. The function is called twice. */
export type Captured = readonly Exchange[] | (() => Iterable<Exchange> | AsyncIterable<Exchange>);

/**
 * Judges captured replies against the reply rules. Rules take facts about the service from the
 * captured lookups, wherever these are in the capture. Rules that need a live service, or a kind of
 * reply that was not captured, do not apply.
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
    // A capture does not show which requests got no reply.
    (rule) => (rule.kind === 'reply' && !judgesMissingReplies(rule) ? undefined : NEEDS_SERVICE),
  );
  const { ledger, judge, startedAt, rules, options: judgingOptions } = judging;
  const { tolerancePpm } = judgingOptions;
  const statusRules = rules.filter(({ id }) => id === STATUS_RULE);
  const judgeStatus = createReplyJudge({ rules: statusRules, ledger, tolerancePpm });
  const counts = new Map<string, number>();
  let replies = 0;
  let withoutBody = 0;
  const facts = await learnFacts(captured, routerNames, options.signal);
  for await (const exchange of untilAborted(captured, options.signal)) {
    if (exchange.outcome.kind === 'no-reply' || exchange.garbled) {
      withoutBody++;
      const reply = replyWithoutBody(exchange);
      if (reply !== undefined) judgeStatus(reply, facts, {});
      continue;
    }
    replies++;
    const operation = exchange.endpoint === undefined ? 'other paths' : `/${exchange.endpoint}`;
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    const named = toSpecifiedNames({ ...exchange, id: replies }, routerNames);
    judge(named, facts, {});
  }
  // A file cannot show that an operation was never available.
  for (const endpoint of ENDPOINTS) ledger.answered.add(endpoint);
  const durationMs = Date.now() - startedAt.getTime();
  return composeReport(judging, {
    redactor: createRedactor(...(options.apiKeys ?? [])),
    inScope: () => true,
    captured: counts,
    interrupted: describeInterruption(options.signal),
    counts: {
      ...{ seed: 0, requests: 0, replies, durationMs, timings: [] },
      ...(withoutBody > 0 && { withoutBody }),
    },
  });
}

/** Probes send their own requests, and settlement rules execute new plans. */
const NEEDS_SERVICE = { why: 'a capture cannot reply to requests', needs: 'swapcheck test URL' };

const STATUS_RULE = 'endpoint/status';
const JUDGED_BY_BODY: readonly number[] = [200, 400, 500];

/**
 * A status that the specification does not list is a failure, even if the capture lacks the body.
 */
function replyWithoutBody(exchange: Exchange): Exchange | undefined {
  const { outcome } = exchange;
  if (outcome.kind !== 'no-reply' || outcome.status === undefined) return undefined;
  const { status, message: reason } = outcome;
  if (JUDGED_BY_BODY.includes(status)) return undefined;
  const document = { kind: 'not-json', reason } as const;
  return { ...exchange, outcome: { kind: 'reply', status, headers: {}, text: '', document } };
}

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

/**
 * Returns the facts that discovery would collect from a service, if the captured lookups contain
 * them. The first reply of each kind counts. Returns undefined if there are no lookups.
 */
async function learnFacts(
  captured: Captured,
  routerNames: RouterNames,
  signal: AbortSignal | undefined,
): Promise<Facts | undefined> {
  let chains: Facts['chains'] | undefined;
  const chainInfo = new Map<number, NonNullable<ReturnType<typeof readChainInfo>>>();
  const tokens = new Map<number, ReturnType<typeof readList<'tokens'>>>();
  for await (const exchange of untilAborted(captured, signal)) {
    const { endpoint, query } = exchange;
    const body = bodyOf(toSpecifiedNames(exchange, routerNames));
    if (endpoint === 'chains' && Array.isArray(body)) chains ??= readList('chains', body);
    if (endpoint === 'chainInfo' && body !== undefined) {
      const info = readChainInfo(body);
      if (info !== undefined && !chainInfo.has(info.chainId)) chainInfo.set(info.chainId, info);
    }
    if (endpoint === 'tokens' && Array.isArray(body)) {
      const written = query.find(([name]) => name === 'chainId')?.[1] ?? '';
      // `Number` would also read 0x1 and 1e0.
      const id = /^\d+$/.test(written) ? Number(written) : undefined;
      if (id !== undefined && !tokens.has(id)) tokens.set(id, readList('tokens', body));
    }
  }
  if (chains === undefined && chainInfo.size === 0 && tokens.size === 0) return undefined;
  return { chains: chains ?? [], chainInfo, tokens, markets: new Map() };
}
