import { type Static, Type } from '../contract/schema.ts';
import { type Report, type RuleResult, RuleResultSchema } from '../model/report.ts';

const { id, clause, title, level, outcome } = RuleResultSchema.properties;

// `before` or `after` is unset if that report lacks the rule, or has no observation of its own.
const RuleChangeSchema = Type.Object({
  ...{ id, clause, level, title },
  before: Type.Optional(outcome),
  after: Type.Optional(outcome),
  /** Actual behavior in the head's first new failure or, if none is new, in its first failure. */
  actual: Type.Optional(Type.String()),
});
/** A rule whose outcome changed. */
export type RuleChange = Static<typeof RuleChangeSchema>;

const ObservationChangeSchema = Type.Object({
  ...{ id, clause, title },
  before: Type.Optional(Type.String()),
  after: Type.Optional(Type.String()),
});
/** A difference in behavior that the specification leaves open. */
export type ObservationChange = Static<typeof ObservationChangeSchema>;

/**
 * A comparison of two reports, as JSON. Its schema is published as
 * `docs/report-comparison.schema.json`.
 */
export const ReportComparisonSchema = Type.Object({
  kind: Type.Literal('conformance-comparison'),
  /** `failed` if a rule newly fails. Only a complete run can be `passed`. */
  verdict: Type.Enum(['passed', 'failed', 'incomplete']),
  /** Reasons why the head's run may have missed failures. */
  undecided: Type.Array(Type.String()),
  newlyFailing: Type.Array(RuleChangeSchema),
  newlyPassing: Type.Array(RuleChangeSchema),
  /** Rules that fail in both reports, with a failure in the head that the base lacks. */
  failingDifferently: Type.Array(RuleChangeSchema),
  /** Every other change of outcome, including added and removed rules. */
  otherwiseChanged: Type.Array(RuleChangeSchema),
  changedObservations: Type.Array(ObservationChangeSchema),
});
/** The changes from one report to another. */
export type ReportComparison = Static<typeof ReportComparisonSchema>;

/** Returns the changes from the base report to the head report, ordered like the head's rules. */
export function compareReports(base: Report, head: Report): ReportComparison {
  const pairs = pairRules(base.rules, head.rules);
  const changes = pairs
    .filter(({ before, after }) => before?.outcome !== after?.outcome)
    .map(ruleChange);
  const stillFailing = pairs.filter(
    ({ before, after }) => before?.outcome === 'fail' && after?.outcome === 'fail',
  );
  const isFailing = ({ after }: RuleChange) => after === 'fail';
  const isPassing = ({ before, after }: RuleChange) => before === 'fail' && after === 'pass';
  const newlyFailing = changes.filter(isFailing);
  const undecided = head.verdict === 'incomplete' ? [head.reason] : [];
  const unfailed = undecided.length > 0 ? 'incomplete' : 'passed';
  return {
    kind: 'conformance-comparison',
    verdict: newlyFailing.length > 0 ? 'failed' : unfailed,
    undecided,
    newlyFailing,
    newlyPassing: changes.filter(isPassing),
    failingDifferently: stillFailing
      .filter(({ before, after }) => newFailureOf(before, after) !== undefined)
      .map(ruleChange),
    otherwiseChanged: changes.filter((change) => !isFailing(change) && !isPassing(change)),
    changedObservations: pairs.flatMap(({ rule, before, after }): readonly ObservationChange[] => {
      const { id, clause, title, level } = rule;
      if (level !== 'observe') return [];
      const removed = observedOnlyIn(before, after);
      const added = observedOnlyIn(after, before);
      if (removed === undefined && added === undefined) return [];
      return [{ id, clause, title, ...definedSides(removed, added) }];
    }),
  };
}

/** Ignores the number of times that each observation was made. */
function observedOnlyIn(
  one: RuleResult | undefined,
  other: RuleResult | undefined,
): string | undefined {
  const keyOf = ({ text, key = text }: Observed) => key;
  const known = new Set(other?.observed?.map(keyOf));
  const texts = one?.observed?.filter((each) => !known.has(keyOf(each))).map(({ text }) => text);
  return texts?.length ? texts.join('; ') : undefined;
}

type Observed = NonNullable<RuleResult['observed']>[number];

function pairRules(base: readonly RuleResult[], head: readonly RuleResult[]) {
  const before = new Map(base.map((rule) => [rule.id, rule]));
  const after = new Set(head.map(({ id }) => id));
  const removed = base.filter(({ id }) => !after.has(id));
  return [
    ...head.map((rule) => ({ rule, before: before.get(rule.id), after: rule })),
    ...removed.map((rule) => ({ rule, before: rule, after: undefined })),
  ];
}

function ruleChange({ rule, before, after }: ReturnType<typeof pairRules>[number]): RuleChange {
  const { id, clause, level, title } = rule;
  const newest = newFailureOf(before, after) ?? after?.failures[0];
  const actual = after?.outcome === 'fail' ? newest?.actual : undefined;
  return {
    ...{ id, clause, level, title, ...definedSides(before?.outcome, after?.outcome) },
    ...(actual !== undefined && { actual }),
  };
}

function newFailureOf(before: RuleResult | undefined, after: RuleResult | undefined) {
  const known = new Set(before?.failures.map(({ cause }) => cause));
  return after?.failures.find(({ cause }) => !known.has(cause));
}

function definedSides<Value>(before: Value | undefined, after: Value | undefined) {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
