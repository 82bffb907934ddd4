import type { NotJudged } from '../model/not-judged.ts';
import type { RuleResult } from '../model/report.ts';
import type { Obstacle } from '../model/rule.ts';

/** Reason why settlement rules do not apply in a run without a fork. */
export const NO_FORK = {
  kind: 'not-applicable',
  why: 'calldata was not executed: pass --fork CHAIN=RPC',
  sharedCause: 'no-fork',
} as const satisfies Obstacle;

export type NotJudgedInput = {
  readonly results: readonly RuleResult[];
  /** Rules that the selection or the kind of run excludes. */
  readonly omitted: readonly OmittedRule[];
  /** Reason why the run ended early, if it did. */
  readonly cutShort: string | undefined;
  /** Names of the routers that have an encoder. */
  readonly encoders?: readonly string[] | undefined;
  /** Phrases that name skipped trades, tokens or chains. */
  readonly remarks: readonly string[];
};

export type OmittedRule = { readonly id: string; readonly why: string; readonly needs?: string };

/** Returns all parts that a run did not judge, grouped by reason. */
export function listNotJudged({
  results,
  omitted,
  cutShort,
  encoders = [],
  remarks,
}: NotJudgedInput): readonly NotJudged[] {
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
