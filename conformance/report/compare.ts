import type { Report, RuleResult } from '../model/report.ts';

/** A rule in both reports, or in one; what it came to is undefined where the rule is absent, or saw nothing. */
type Change<Value> = Pick<RuleResult, 'id' | 'clause' | 'title'> & {
  readonly before: Value | undefined;
  readonly after: Value | undefined;
};

/** A rule whose outcome changed. */
export type RuleChange = Change<RuleResult['outcome']> & {
  readonly level: RuleResult['level'];
  /** The first failure in the head, for a rule that fails there. */
  readonly actual?: string;
};

/** What a service does differently where the specification is silent. */
export type ObservationChange = Change<string>;

/** What changed from one run to another. */
export type ReportComparison = ReturnType<typeof compareReports>;

/** Returns what changed from the base's run to the head's, in the head's order of rules. */
export function compareReports(base: Report, head: Report) {
  const pairs = pairRules(base.rules, head.rules);
  const changes = pairs
    .filter(({ before, after }) => before?.outcome !== after?.outcome)
    .map(ruleChange);
  const isFailing = ({ after }: RuleChange) => after === 'fail';
  const isPassing = ({ before, after }: RuleChange) => before === 'fail' && after === 'pass';
  return {
    /** Why the head's run leaves open what it would have found. */
    undecided: head.verdict === 'incomplete' ? [head.reason] : [],
    newlyFailing: changes.filter(isFailing),
    newlyPassing: changes.filter(isPassing),
    /** Every other change of outcome, rules that came or went among them. */
    otherwiseChanged: changes.filter((change) => !isFailing(change) && !isPassing(change)),
    changedObservations: pairs.flatMap(({ rule, ...pair }): readonly ObservationChange[] => {
      const { id, clause, title } = rule;
      const [before, after] = [pair.before?.observed, pair.after?.observed];
      if (withoutCounts(before) === withoutCounts(after)) return [];
      return [{ id, clause, title, before, after }];
    }),
  };
}

/** Returns what a comparison comes to: a rule that newly fails fails it, and only a whole run can pass. */
export function comparisonVerdict({
  newlyFailing,
  undecided,
}: ReportComparison): 'passed' | 'failed' | 'incomplete' {
  if (newlyFailing.length > 0) return 'failed';
  return undecided.length > 0 ? 'incomplete' : 'passed';
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

function pairRules(base: readonly RuleResult[], head: readonly RuleResult[]) {
  const before = new Map(base.map((rule) => [rule.id, rule]));
  const after = new Set(head.map(({ id }) => id));
  const gone = base.filter(({ id }) => !after.has(id));
  return [
    ...head.map((rule) => ({ rule, before: before.get(rule.id), after: rule })),
    ...gone.map((rule) => ({ rule, before: rule, after: undefined })),
  ];
}

function ruleChange({ rule, before, after }: ReturnType<typeof pairRules>[number]): RuleChange {
  const { id, clause, level, title } = rule;
  const actual = after?.outcome === 'fail' ? after.failures[0]?.actual : undefined;
  return {
    ...{ id, clause, level, title, before: before?.outcome, after: after?.outcome },
    ...(actual !== undefined && { actual }),
  };
}
