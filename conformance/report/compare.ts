import type { Report, RuleResult } from '../model/report.ts';

/** A rule in both reports, or in one; an outcome is undefined where the rule is absent. */
export type RuleChange = {
  readonly id: string;
  readonly clause: string;
  readonly level: RuleResult['level'];
  readonly title: string;
  readonly before: RuleResult['outcome'] | undefined;
  readonly after: RuleResult['outcome'] | undefined;
  /** The first failure in the head, for a rule that fails there. */
  readonly actual?: string;
};

/** What a service does differently where the specification is silent. */
export type ObservationChange = {
  readonly id: string;
  readonly clause: string;
  readonly title: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** What changed from one run to another. */
export type ReportComparison = {
  readonly newlyFailing: readonly RuleChange[];
  readonly newlyPassing: readonly RuleChange[];
  /** Every other change of outcome, rules that came or went among them. */
  readonly otherwiseChanged: readonly RuleChange[];
  readonly changedObservations: readonly ObservationChange[];
};

/** Returns what changed from the base's run to the head's, in the head's order of rules. */
export function compareReports(base: Report, head: Report): ReportComparison {
  const pairs = pairRules(base.rules, head.rules);
  const changes = pairs
    .filter(({ before, after }) => before?.outcome !== after?.outcome)
    .map(ruleChange);
  const isFailing = ({ after }: RuleChange) => after === 'fail';
  const isPassing = ({ before, after }: RuleChange) => before === 'fail' && after === 'pass';
  return {
    newlyFailing: changes.filter(isFailing),
    newlyPassing: changes.filter(isPassing),
    otherwiseChanged: changes.filter((change) => !isFailing(change) && !isPassing(change)),
    changedObservations: pairs
      .filter(
        ({ before, after }) => withoutCounts(before?.observed) !== withoutCounts(after?.observed),
      )
      .map(({ rule: { id, clause, title }, before, after }) => ({
        id,
        clause,
        title,
        before: before?.observed,
        after: after?.observed,
      })),
  };
}

/** Returns what a comparison comes to: a rule that newly fails fails it. */
export function comparisonVerdict({ newlyFailing }: ReportComparison): 'passed' | 'failed' {
  return newlyFailing.length > 0 ? 'failed' : 'passed';
}

/**
 * Returns the things that were observed, in one order: how often each was seen
 * hangs on what was sent. Of a share is left whether it is none, some or all.
 *
 * @example withoutCounts('400 (12 times); plans in 3 of 3 cases') // '400; plans in all cases'
 */
function withoutCounts(observed: string | undefined): string | undefined {
  return observed
    ?.split('; ')
    .map((each) =>
      each
        .replace(/ \(\d+ times\)$/, '')
        .replace(/\b(\d+) of (\d+)\b/g, (_match, part, whole) =>
          part === whole ? 'all' : part === '0' ? 'no' : 'some',
        ),
    )
    .sort()
    .join('; ');
}

type Pair = {
  readonly rule: RuleResult;
  readonly before: RuleResult | undefined;
  readonly after: RuleResult | undefined;
};

function pairRules(base: readonly RuleResult[], head: readonly RuleResult[]): readonly Pair[] {
  const before = new Map(base.map((rule) => [rule.id, rule]));
  const after = new Map(head.map((rule) => [rule.id, rule]));
  const gone = base.filter(({ id }) => !after.has(id));
  return [
    ...head.map((rule) => ({ rule, before: before.get(rule.id), after: rule })),
    ...gone.map((rule) => ({ rule, before: rule, after: undefined })),
  ];
}

function ruleChange({ rule, before, after }: Pair): RuleChange {
  const actual = after?.outcome === 'fail' ? after.failures[0]?.actual : undefined;
  return {
    id: rule.id,
    clause: rule.clause,
    level: rule.level,
    title: rule.title,
    before: before?.outcome,
    after: after?.outcome,
    ...(actual !== undefined && { actual }),
  };
}
