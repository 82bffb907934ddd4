import { curlLine } from '../client/curl-line.ts';
import type { Redactor } from '../client/redaction.ts';
import type { Report } from '../model/report.ts';
import type { Ledger } from './ledger.ts';
import { resultOf } from './rule-result.ts';
import { type Gate, judgeRun, summarize } from './verdict.ts';
import type { WaiverBook } from './waivers.ts';

type Computed =
  | 'verdict'
  | 'reason'
  | 'summary'
  | 'rules'
  | 'largestDust'
  | 'leftOut'
  | 'staleWaivers';

export type Conclusion = {
  readonly ledger: Ledger;
  readonly waivers: WaiverBook;
  readonly leftOut: readonly NonNullable<Report['leftOut']>[number][];
  readonly gate: Gate;
  readonly unreachable: string | undefined;
  readonly interrupted: boolean;
  /** Why the run ended before its end, if it did. */
  readonly cutShort: string | undefined;
  readonly inScope: (chain: number) => boolean;
  readonly redactor: Redactor;
  readonly header: Omit<Report, Computed>;
};

/** Makes the report of a run, or of captured replies. */
export function composeReport(conclusion: Conclusion): Report {
  const { ledger, waivers, redactor, header, cutShort, gate, unreachable } = conclusion;
  const rules = [...ledger.tallies.values()].map((tally) =>
    resultOf(tally, {
      seed: header.seed,
      redactor,
      waivers,
      answered: ledger.answered,
      cutShort,
      repeat: ({ exchange, origin }) =>
        origin === 'body-only'
          ? `swapcheck check ${quoteForShell(exchange.target)}`
          : curlLine(header.target, exchange.target),
    }),
  );
  const stale = waivers.stale(rules, conclusion.inScope);
  const largestDust = ledger.largestDust();
  const leftOut = [...conclusion.leftOut, ...leftOutByBudget(rules, cutShort)];
  return {
    ...judgeRun({
      results: rules,
      gate,
      staleWaivers: stale.length,
      unreachable: unreachable && redactor.sentence(unreachable),
      cutShort,
      interrupted: conclusion.interrupted,
    }),
    ...header,
    ...(largestDust === undefined
      ? {}
      : { largestDust: { ...largestDust, token: redactor.said(largestDust.token) } }),
    summary: summarize(rules),
    rules,
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(stale.length === 0 ? {} : { staleWaivers: [...stale] }),
  };
}

function leftOutByBudget(
  rules: Report['rules'],
  cutShort: string | undefined,
): NonNullable<Report['leftOut']> {
  if (cutShort === undefined) return [];
  return rules
    .filter(({ outcome, why }) => outcome === 'could-not-run' && why === cutShort)
    .map(({ id }) => ({ id, why: cutShort }));
}

function quoteForShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
