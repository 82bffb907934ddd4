import type { Report } from '../model/report.ts';
import { composeReport } from './compose-report.ts';
import type { Run } from './run-state.ts';

/** Makes the report of a run, and tells the listener each rule's result and the whole. */
export function concludeRun(run: Run): Report {
  const { options, scheduler, facts, listener, startedAt } = run;
  const { client, maxRequests, level = 'must', signal } = options;
  const sent = scheduler.sent();
  const budgetSpent =
    maxRequests !== undefined && sent >= maxRequests
      ? `the budget of ${maxRequests} requests is spent`
      : undefined;
  const report = composeReport({
    ledger: run.ledger,
    waivers: run.waivers,
    leftOut: run.leftOut,
    unreachable: run.unreachable,
    gate: level,
    interrupted: signal?.aborted ?? false,
    cutShort: scheduler.stopped() ?? budgetSpent,
    inScope: (chain) => facts?.markets.has(chain) ?? false,
    redactor: client.redactor,
    header: {
      target: client.redactor.sentence(options.target),
      version: options.version,
      seed: options.seed,
      startedAt: startedAt.toISOString(),
      requests: sent,
      replies: run.replies,
      rateLimited: scheduler.rateLimited(),
      durationMs: Math.round(options.clock.now() - run.startedAtMs),
      tolerancePpm: options.tolerancePpm,
      timings: [...run.durations].map(([endpoint, durations]) => summarize(endpoint, durations)),
    },
  });
  for (const result of report.rules) listener({ type: 'rule-finished', result });
  listener({ type: 'run-finished', report });
  return report;
}

function summarize(endpoint: string, durations: readonly number[]): Report['timings'][number] {
  const sorted = durations.toSorted((a, b) => a - b);
  const percentile = (share: number) => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
    return Math.round(value * 10) / 10;
  };
  return {
    endpoint,
    requests: sorted.length,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    maxMs: percentile(1),
  };
}
