import type { Failure, RuleResult } from '../model/report.ts';

/** Failures with one root cause, as far as replies show it. */
export type RootCause = {
  /** The rules that fail because of it, the most binding first. */
  readonly rules: readonly RuleResult[];
  /** The failure of the most binding rule, with the smallest request. */
  readonly example: Failure;
  /** The distinct other failures of this cause, as text. */
  readonly variants: readonly string[];
  /** Number of occurrences. */
  readonly count: number;
  readonly isWaived: boolean;
};

type Member = { readonly rule: RuleResult; readonly failure: Failure };

/**
 * Groups the failures of a run by root cause, `must` before `should`.
 *
 * Failures of several rules have one cause if they have the same finding at the same place: one
 * wrong status breaks many rules. The other failures of a rule are variants of one cause.
 */
export function rootCausesOf(rules: readonly RuleResult[]): readonly RootCause[] {
  const members = rules.flatMap((rule) => rule.failures.map((failure) => ({ rule, failure })));
  const [waived, counted] = [true, false].map((isWaived) =>
    members.filter(({ failure }) => (failure.waiver !== undefined) === isWaived),
  );
  return [...groupsOf(counted ?? []), ...groupsOf(waived ?? [])].map(toRootCause).sort(byUrgency);
}

/**
 * Returns the heading of a cause: the rule that it breaks, or the finding and the number of rules.
 *
 * @example 'swap/token-decimals [must]: decimals is an integer from 0 to 18'
 * @example 'replies have status 422: 14 rules [must]'
 */
export function causeTitle(cause: RootCause): string {
  const [first] = cause.rules;
  if (first === undefined) return cause.example.actual;
  if (cause.rules.length > 1) {
    return `${sharedFinding(cause)}: ${cause.rules.length} rules [${first.level}]`;
  }
  return `${first.id} [${first.level}]: ${first.title}`;
}

/**
 * Returns the finding that the rules of a cause share.
 *
 * @example 'replies have status 422'
 */
export function sharedFinding({ example: { data, actual } }: RootCause): string {
  const status = data?.['status'];
  const isUnspecified = status !== undefined && ![200, 400, 500].includes(Number(status));
  return isUnspecified ? `replies have status ${status}` : actual;
}

function groupsOf(members: readonly Member[]): readonly (readonly Member[])[] {
  const bySymptom = [
    ...groupBy(members, ({ failure }) => failure.symptom ?? failure.actual).values(),
  ];
  const isShared = (group: readonly Member[]) => new Set(group.map(({ rule }) => rule.id)).size > 1;
  const single = bySymptom.filter((group) => !isShared(group)).flat();
  return [...bySymptom.filter(isShared), ...groupBy(single, ({ rule }) => rule.id).values()];
}

function toRootCause(members: readonly Member[]): RootCause {
  const ranked = members.toSorted((a, b) => rankOf(a.rule) - rankOf(b.rule));
  const [first] = ranked;
  if (first === undefined) throw new Error('a root cause has at least one failure');
  const variants = new Set(ranked.map(({ failure }) => variantText(failure, first.failure)));
  variants.delete(first.failure.actual);
  return {
    rules: [...new Set(ranked.map(({ rule }) => rule))],
    example: first.failure,
    variants: [...variants],
    count: members.reduce((sum, { failure }) => sum + failure.count, 0),
    isWaived: first.failure.waiver !== undefined,
  };
}

/** @example 'expected 400 for `sellAmount` zero; was 200' */
function variantText({ expected, actual }: Failure, example: Failure): string {
  return expected === example.expected ? actual : `expected ${expected}; was ${actual}`;
}

/** Waived causes are last; the others are ordered by level, then by the number of broken rules. */
function byUrgency(a: RootCause, b: RootCause): number {
  return (
    Number(a.isWaived) - Number(b.isWaived) ||
    rankOf(a.rules[0]) - rankOf(b.rules[0]) ||
    b.rules.length - a.rules.length
  );
}

function rankOf(rule: RuleResult | undefined): number {
  return ['must', 'should', 'observe'].indexOf(rule?.level ?? 'observe');
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
