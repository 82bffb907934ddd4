import { curlLine, powerShellLine, quoteForPosixShell } from '../client/curl-line.ts';
import type { Reach } from '../client/reach.ts';
import { type Redactor, redactDeep } from '../client/redaction.ts';
import type { Report } from '../model/report.ts';
import type { Judging } from './judging.ts';
import { listNotJudged } from './not-judged.ts';
import { resultOf } from './rule-result.ts';
import { judgeRun, summarize } from './verdict.ts';

/** The circumstances of a run besides its verdicts. */
export type Conclusion = {
  /** Numbers of requests and replies, and the time taken. */
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
  /** The reason why nothing could be judged, if so. */
  readonly unreachable?: string | undefined;
  /** The reason why the run ended early, if so. */
  readonly cutShort?: string | undefined;
  /** @see VerdictInput */
  readonly headline?: string | undefined;
  /** @see VerdictInput */
  readonly endedBy?: string | undefined;
  /** @see NotJudgedInput */
  readonly remarks?: readonly string[];
  /** Settings with which the service was reached. */
  readonly reach?: Reach;
  /** @see VerdictInput */
  readonly captured?: ReadonlyMap<string, number>;
};

/** Returns the report of a run, or of captured replies. */
export function composeReport(judging: Judging, conclusion: Conclusion): Report {
  const { options, startedAt, ledger, waivers } = judging;
  const { redactor, inScope, unreachable, cutShort } = conclusion;
  const { seed, timings, ...counts } = conclusion.counts;
  const target = redactor.redactSentence(options.target);
  const rules = [...ledger.tallies.values()].map((tally) =>
    resultOf(tally, {
      redactor,
      waivers,
      answered: ledger.answered,
      unread: ledger.unread,
      cutShort,
      repeat: ({ exchange, origin, baseUrl }) => {
        if (origin === 'body-only') {
          return { curl: `swapcheck check ${quoteForShell(exchange.target)}` };
        }
        const root = origin === 'sent' ? target : (baseUrl ?? 'BASE_URL');
        return {
          curl: curlLine(root, exchange.target, conclusion.reach),
          powerShell: powerShellLine(root, exchange.target, conclusion.reach),
        };
      },
    }),
  );
  // After a run that was cut short, a failure that was not seen may still exist.
  const stale = waivers.stale(cutShort === undefined ? rules : [], inScope);
  const largestDust = ledger.largestDust;
  const notJudged = listNotJudged({
    results: rules,
    omitted: judging.omitted,
    cutShort,
    remarks: conclusion.remarks ?? [],
  });
  return {
    ...judgeRun({
      results: rules,
      gate: options.level ?? 'must',
      staleWaivers: stale.length,
      unreachable: unreachable && redactor.redactSentence(unreachable),
      cutShort,
      endedBy: conclusion.endedBy,
      headline: conclusion.headline && redactor.redactSentence(conclusion.headline),
      notJudged,
      captured: conclusion.captured,
      interrupted: options.signal && interruptionOf(options.signal),
    }),
    target,
    ...(options.targetName !== undefined && {
      targetName: redactor.redactSentence(options.targetName),
    }),
    version: options.version,
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
    notJudged: [...notJudged],
    ...(stale.length > 0 && { staleWaivers: [...stale] }),
  };
}

function interruptionOf({ aborted, reason }: AbortSignal): string | undefined {
  if (!aborted) return undefined;
  return typeof reason === 'string'
    ? `The run was ended early: ${reason}.`
    : 'The run was ended early.';
}

function quoteForShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : quoteForPosixShell(text);
}
