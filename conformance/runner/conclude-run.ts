import type { Report } from '../model/report.ts';
import { composeReport } from './compose-report.ts';
import { whySlow } from './pace.ts';
import { coverPairs } from './pair-coverage.ts';
import type { Run } from './run-state.ts';

/**
 * Composes the report of a run, and sends each rule's result and the report to the listener.
 * `stopped` is the reason why no more requests were sent, if so.
 */
export function concludeRun(run: Run, stopped: string | undefined): Report {
  const { options, scheduler, facts, listener, unreachable, replies, durations } = run;
  const { client, clock, seed, maxRequests } = options;
  const requests = scheduler.sent;
  const durationMs = Math.round(clock.now() - run.startedAtMs);
  const pairs = facts && coverPairs(facts, run.plannedPairs);
  const isSpent = maxRequests !== undefined && requests >= maxRequests;
  const report = composeReport(run, {
    redactor: client.redactor,
    inScope: (chain) => facts?.markets.has(chain) ?? false,
    unreachable,
    cutShort: stopped ?? (isSpent ? `the budget of ${maxRequests} requests is spent` : undefined),
    headline: headlineOf(run),
    endedBy: run.endedBy,
    remarks: [...(client.reach.insecure ? [INSECURE] : []), ...run.remarks],
    reach: client.reach,
    counts: {
      seed,
      requests,
      replies,
      rateLimited: scheduler.rateLimited,
      durationMs,
      ...(run.minBreadth < options.profile.breadth && {
        breadth: {
          least: rounded(run.minBreadth, 3),
          why: whySlow(run),
        },
      }),
      ...(pairs && { pairs }),
      timings: [...durations].map(([endpoint, each]) => summarize(endpoint, each)),
    },
  });
  for (const result of report.rules) listener({ type: 'rule-finished', result });
  listener({ type: 'run-finished', report });
  return report;
}

const INSECURE = "the service's certificate was not verified (--insecure)";

/** After this many requests in a row without a reply, a service counts as dead, not as slow. */
const MIN_SILENT_REQUESTS = 5;

function headlineOf({ silence, ledger }: Run): string | undefined {
  if (silence !== undefined && silence.requests >= MIN_SILENT_REQUESTS) {
    return `The service stopped answering at request ${silence.since}: ${silence.message}.`;
  }
  if (ledger.answered.size > 0) return undefined;
  return 'No reply had status 200: is the URL right, and the key valid?';
}

function summarize(endpoint: string, durations: readonly number[]): Report['timings'][number] {
  const sorted = durations.toSorted((a, b) => a - b);
  const percentile = (share: number) => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
    return rounded(value, 1);
  };
  return {
    endpoint,
    requests: sorted.length,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    maxMs: percentile(1),
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
