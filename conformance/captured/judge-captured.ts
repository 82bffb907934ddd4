import { setImmediate } from 'node:timers/promises';
import type { Exchange } from '../client/exchange.ts';
import { createRedactor } from '../client/redaction.ts';
import { ENDPOINTS } from '../contract/paths.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { composeReport } from '../runner/compose-report.ts';
import { createLedger } from '../runner/ledger.ts';
import { createReplyJudge } from '../runner/reply-judge.ts';
import { selectRules } from '../runner/select-rules.ts';
import type { Gate } from '../runner/verdict.ts';
import { openWaivers, type Waiver } from '../runner/waivers.ts';

export type CapturedOptions = {
  readonly rules: readonly Rule[];
  /** What was read, for the report. */
  readonly target: string;
  readonly version: string;
  readonly only?: readonly string[];
  readonly level?: Gate;
  /** Default 1. */
  readonly tolerancePpm?: number;
  readonly waivers?: readonly Waiver[];
  /** The keys that the requests carried, known once all of them were read. */
  readonly apiKeys?: ReadonlySet<string>;
  /** Ends the judging early. */
  readonly signal?: AbortSignal;
};

/**
 * Judges captured replies by the reply rules. Rules that need a service, or a
 * kind of reply that was not captured, do not apply.
 *
 * @throws {UnknownRuleError} when `only` names nothing.
 */
export async function judgeCaptured(
  exchanges: Iterable<Exchange> | AsyncIterable<Exchange>,
  options: CapturedOptions,
): Promise<Report> {
  const startedAt = new Date();
  const { tolerancePpm = 1, only = [], level, signal } = options;
  const { selected, leftOut } = selectRules(options.rules, { only, level });
  const rules = selected.filter(({ kind }) => kind === 'reply');
  const waivers = openWaivers(options.waivers ?? [], startedAt.toISOString().slice(0, 10));
  const ledger = createLedger({
    rules,
    weigh: ({ path, query }) => path.length + query.length,
    apart: waivers.apart,
  });
  const judge = createReplyJudge(rules, ledger, tolerancePpm);
  let replies = 0;
  let heardAt = performance.now();
  for await (const exchange of exchanges) {
    if (performance.now() - heardAt > DEAF_MS) {
      await setImmediate();
      heardAt = performance.now();
    }
    if (signal?.aborted === true) break;
    replies++;
    judge({ ...exchange, id: replies }, undefined, {});
  }
  // Which operations a service answers, a file cannot tell.
  for (const endpoint of ENDPOINTS) ledger.addAnswered(endpoint);
  return composeReport({
    ledger,
    waivers,
    leftOut,
    gate: level ?? 'must',
    unreachable: undefined,
    interrupted: signal?.aborted ?? false,
    cutShort: undefined,
    inScope: () => true,
    redactor: createRedactor(...(options.apiKeys ?? [])),
    header: {
      target: options.target,
      version: options.version,
      seed: 0,
      startedAt: startedAt.toISOString(),
      requests: 0,
      replies,
      durationMs: Date.now() - startedAt.getTime(),
      tolerancePpm,
      timings: [],
    },
  });
}

/** So long is judged at most before an interrupt can be heard. */
const DEAF_MS = 50;
