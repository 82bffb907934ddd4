import { curlLine, powerShellLine, quoteForPosixShell } from '../client/curl-line.ts';
import { PACKAGE_VERSION } from '../client/package-version.ts';
import type { Reach } from '../client/reach.ts';
import { type Redactor, redactDeep } from '../client/redaction.ts';
import { counted } from '../contract/counted.ts';
import { ROUTER_NAMES } from '../contract/names.ts';
import type { Facts } from '../discovery/facts.ts';
import type { NotJudged } from '../model/not-judged.ts';
import type { Failure, Report, RuleResult } from '../model/report.ts';
import type { Obstacle } from '../model/rule.ts';
import { ascending, quantileOf } from '../model/statistics.ts';
import { withConsequences } from './consequences.ts';
import type { Judging } from './judging.ts';
import { MAX_EXCHANGES } from './ledger.ts';
import { countPairs } from './pair-coverage.ts';
import { type RepeatedCause, resultOf } from './rule-result.ts';
import type { Run } from './run-state.ts';
import type { OmittedRule } from './select-rules.ts';
import { judgeRun, summarize } from './verdict.ts';

/** Returns the report of a run whose judging ended in the given way. */
export function reportOfRun(run: Run, ending: Ending): Report {
  const { options, scheduler, facts, unreachable, replies, pace } = run;
  const { seed } = options;
  const { client } = options.service;
  const requests = scheduler.sent;
  const durationMs = Math.round(pace.elapsedMs);
  const pairs = facts && countPairs(facts, run.plannedPairs);
  return composeReport(run.judging, {
    redactor: client.redactor,
    inScope: (chain) => facts?.markets.has(chain) ?? false,
    unreachable,
    ...ending,
    headline: headlineOf(run),
    endedBy: run.endedBy,
    remarks: [
      ...(client.reach.insecure ? [INSECURE] : []),
      ...run.remarks,
      ...Array.from(
        run.unsent,
        ([why, count]) =>
          `the replies to ${counted(count, 'request that was not sent', 'requests that were not sent')}, since ${why}`,
      ),
    ],
    encoders: facts && encodersIn(facts),
    reach: client.reach,
    counts: {
      seed,
      requests,
      replies,
      rateLimited: scheduler.rateLimited,
      durationMs,
      ...(pace.minBreadth < options.profile.breadth && {
        breadth: {
          least: rounded(pace.minBreadth, 3),
          why: pace.whySlow(),
        },
      }),
      ...(pairs && { pairs }),
      timings: [...pace.durations].map(([endpoint, each]) => timingOf(endpoint, each)),
    },
  });
}

function encodersIn({ chainInfo }: Facts): readonly string[] {
  const routers = [...chainInfo.values()].flatMap((info) => info.routers);
  const encoders = new Set(routers.flatMap(({ hasEncoder, name }) => (hasEncoder ? name : [])));
  return ROUTER_NAMES.filter((name) => encoders.has(name));
}

const INSECURE = "the service's certificate was not verified (--insecure)";

/**
 * Minimum number of consecutive requests without a reply. With fewer, the service counts as slow
 * rather than dead.
 */
const MIN_SILENT_REQUESTS = 5;

function headlineOf({ silence, ledger }: Run): string | undefined {
  if (silence !== undefined && silence.requests >= MIN_SILENT_REQUESTS) {
    return `The service stopped answering at request ${silence.since}: ${silence.message}.`;
  }
  if (ledger.answered.size > 0) return undefined;
  return 'No reply had status 200: is the URL right, and the key valid?';
}

function timingOf(endpoint: string, durations: readonly number[]): Report['timings'][number] {
  const sorted = durations.toSorted(ascending);
  const percentile = (share: number) => rounded(quantileOf(sorted, share), 1);
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

/** Why judging ended early, if it did. */
export type Ending = {
  readonly cutShort?: string | undefined;
  /** @see VerdictInput */
  readonly interrupted?: string | undefined;
  /** @see VerdictInput */
  readonly crash?: string | undefined;
};

/** Contents of a report besides the verdicts. */
export type Conclusion = Ending & {
  /** The numbers of requests and replies, and the run's duration. */
  readonly counts: Pick<
    Report,
    | 'seed'
    | 'requests'
    | 'replies'
    | 'rateLimited'
    | 'withoutBody'
    | 'durationMs'
    | 'breadth'
    | 'pairs'
    | 'timings'
  >;
  readonly redactor: Redactor;
  /** Returns whether a chain was judged. */
  readonly inScope: (chain: number) => boolean;
  /** The reason why nothing could be judged, if there is one. */
  readonly unreachable?: string | undefined;
  /** @see VerdictInput */
  readonly headline?: string | undefined;
  /** @see VerdictInput */
  readonly endedBy?: string | undefined;
  /** Clauses that name what could not be judged, such as trades, tokens or chains. */
  readonly remarks?: readonly string[];
  /** Names of the routers that have an encoder. */
  readonly encoders?: readonly string[] | undefined;
  /** Settings for reaching the service. */
  readonly reach?: Reach;
  /** @see VerdictInput */
  readonly captured?: ReadonlyMap<string, number>;
};

/** Returns the report of a run, or of captured replies. */
export function composeReport(judging: Judging, conclusion: Conclusion): Report {
  const { options, startedAt, ledger, waivers } = judging;
  const { redactor, inScope, cutShort, reach } = conclusion;
  const { seed, timings, ...counts } = conclusion.counts;
  const target = redactor.redactSentence(options.target);
  const exchanges = new Map<Failure, readonly number[]>();
  const results = [...ledger.tallies.values()].map((tally) => {
    const result = resultOf(tally, {
      redactor,
      waivers,
      equalReplies: judging.equalReplies,
      answered: ledger.answered,
      unread: ledger.unread,
      cutShort,
      repeat: (cause, requests) => commandsFor(cause, { target, requests, reach }),
    });
    for (const [at, cause] of [...tally.causes.values()].entries()) {
      const failure = result.failures[at];
      if (failure && cause.exchanges.length < MAX_EXCHANGES)
        exchanges.set(failure, cause.exchanges);
    }
    return result;
  });
  const rules = withConsequences(results, (failure) => exchanges.get(failure));
  // A run that ended early may have missed a failure that still exists.
  const stale = waivers.stale(cutShort === undefined ? rules : [], inScope);
  const largestDust = ledger.largestDust;
  const notJudged = listNotJudged(rules, judging.omitted, conclusion).map((each) => ({
    ...each,
    why: redactor.redactSentence(each.why),
  }));
  const verdict = judgeRun({
    ...conclusion,
    ...{ results: rules, gate: options.level ?? 'must', staleWaivers: stale.length, notJudged },
  });
  return {
    ...verdict,
    reason: redactor.redactSentence(verdict.reason),
    target,
    ...(options.targetName !== undefined && {
      targetName: redactor.redactSentence(options.targetName),
    }),
    version: PACKAGE_VERSION,
    seed,
    startedAt: startedAt.toISOString(),
    ...counts,
    tolerancePpm: options.tolerancePpm,
    timings,
    ...(largestDust && {
      largestDust: {
        ...redactDeep(largestDust, redactor.redactText),
        baseUnits: largestDust.baseUnits,
      },
    }),
    summary: summarize(rules),
    rules,
    notJudged,
    ...(stale.length > 0 && { staleWaivers: [...stale] }),
  };
}

/** Returns all parts that a run did not judge, grouped by reason. */
function listNotJudged(
  results: readonly RuleResult[],
  omitted: readonly OmittedRule[],
  { cutShort, encoders = [], remarks = [] }: Conclusion,
): readonly NotJudged[] {
  const idsWith = (wanted: Obstacle['sharedCause']) =>
    results.filter(({ sharedCause }) => sharedCause === wanted).map(({ id }) => id);
  return [
    ...entry({
      why:
        encoders.length === 0
          ? 'calldata was not executed'
          : `calldata of ${encoders.join(', ')} (\`hasEncoder: true\`) was not executed`,
      needs: '--fork CHAIN=RPC',
      rules: idsWith('no-fork'),
    }),
    ...groupByReason(omitted),
    ...(cutShort === undefined ? [] : entry({ why: cutShort, rules: idsWith('run-ended') })),
    ...remarks.map((why) => ({ why, rules: [] })),
  ];
}

function groupByReason(omitted: readonly OmittedRule[]): readonly NotJudged[] {
  const reasons = new Map<string, NotJudged>();
  for (const { id, ...reason } of omitted) {
    const known = reasons.get(reason.why);
    reasons.set(reason.why, { ...reason, rules: [...(known?.rules ?? []), id] });
  }
  return [...reasons.values()];
}

function entry(notJudged: NotJudged): readonly NotJudged[] {
  return notJudged.rules.length === 0 ? [] : [notJudged];
}

function commandsFor(
  { exchange, origin, baseUrl, isCompressed }: RepeatedCause,
  {
    target,
    requests = [exchange.target],
    reach,
  }: {
    readonly target: string;
    readonly requests?: readonly string[] | undefined;
    readonly reach: Reach | undefined;
  },
) {
  if (origin === 'body-only') {
    return { curl: `swapcheck check ${quoteForShell(exchange.target)}` };
  }
  const sent = { ...reach, isCompressed };
  const root = origin === 'sent' ? target : (baseUrl ?? 'BASE_URL');
  return {
    curl: requests.map((each) => curlLine(root, each, sent)).join(' && '),
    powerShell: requests.map((each) => powerShellLine(root, each, sent)).join('; '),
  };
}

/** Returns a sentence that explains why a signal ended the run; undefined if it did not. */
export function describeInterruption(signal: AbortSignal | undefined): string | undefined {
  if (!signal?.aborted) return undefined;
  return typeof signal.reason === 'string'
    ? `The run was ended early: ${signal.reason}.`
    : 'The run was ended early.';
}

function quoteForShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : quoteForPosixShell(text);
}
