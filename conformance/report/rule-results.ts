import { clauseSection, compareClauses, SECTIONS } from '../contract/clauses.ts';
import { counted } from '../contract/counted.ts';
import { firstOf } from '../contract/first-of.ts';
import { groupBy } from '../model/group-by.ts';
import { describeNotJudged, type NotJudged } from '../model/not-judged.ts';
import type { Report, RuleResult } from '../model/report.ts';
import { OWN_CLAUSE } from '../model/rule.ts';

/**
 * Groups the rules by clause, in the order of the specification. Each group includes the text of
 * the clause.
 */
export function groupByClause(rules: readonly RuleResult[]) {
  return [...groupBy(rules, ({ clause }) => clause)]
    .sort(([a], [b]) => compareClauses(a, b))
    .map(([clause, members]) => {
      const [words] = members.flatMap(({ clauseWords }) => clauseWords ?? []);
      return { clause, words, rules: members };
    });
}

/**
 * Groups the rules by section number of the specification, in order. The user's own rules are last.
 */
export function groupBySection(
  rules: readonly RuleResult[],
): readonly (readonly [section: string, rules: readonly RuleResult[]])[] {
  const inOrder = rules.toSorted((a, b) => compareClauses(a.clause, b.clause));
  return [...groupBy(inOrder, ({ clause }) => clauseSection(clause).split('.', 1)[0] ?? clause)];
}

/** @example sectionName('2') // '2 Resources and their fields' */
export function sectionName(section: string): string {
  if (section === OWN_CLAUSE) return 'rules of your own';
  return [section, SECTIONS[Number(section)]].join(' ').trim();
}

/** @example formatTarget(report) // 'http://127.0.0.1:8080 (the built-in reference)' */
export function formatTarget({ target, targetName }: Report): string {
  return targetName === undefined ? target : `${target} (${targetName})`;
}

const OUTCOMES_BY_URGENCY = [
  'fail',
  'could-not-run',
  'pass',
  'waived',
  'observed',
  'not-applicable',
] as const satisfies readonly RuleResult['outcome'][];
const COUNT_WORDS: Partial<Record<RuleResult['outcome'], string>> = {
  fail: 'failed',
  pass: 'passed',
};

type OutcomeCount = {
  readonly outcome: RuleResult['outcome'];
  readonly count: number;
  /** @example '84 passed' */
  readonly words: string;
};

/** Returns the number of rules with each outcome, starting with the most urgent outcome. */
export function outcomeCounts(rules: readonly RuleResult[]): readonly OutcomeCount[] {
  return OUTCOMES_BY_URGENCY.flatMap((outcome) => {
    const count = rules.filter((rule) => rule.outcome === outcome).length;
    const words = `${count} ${COUNT_WORDS[outcome] ?? formatOutcome(outcome)}`;
    return count === 0 ? [] : [{ outcome, count, words }];
  });
}

/**
 * Returns the rules that could not run, grouped by reason, except the rules that the report lists
 * as not judged.
 */
export function couldNotRun({ rules, notJudged }: Report): readonly NotJudged[] {
  const listed = new Set(notJudged.flatMap((entry) => entry.rules));
  return couldNotRunGroups(rules.filter(({ id }) => !listed.has(id)));
}

/** Returns the rules that could not run, grouped by reason. */
export function couldNotRunGroups(rules: readonly RuleResult[]): readonly NotJudged[] {
  const unrun = rules.filter(({ outcome }) => outcome === 'could-not-run');
  return [...groupBy(unrun, ({ why = '' }) => why)].map(([why, members]) => ({
    why,
    rules: members.map(({ id }) => id),
  }));
}

const MAX_SHOWN_OBSERVATIONS = 20;

/**
 * Returns the observations of a rule as text; undefined if there are none.
 *
 * @example '400 "INVALID" (12 times); 400 "NO_ROUTE"'
 */
export function describeObserved({ observed }: Pick<RuleResult, 'observed'>): string | undefined {
  if (observed === undefined) return undefined;
  const all = observed.map(({ text, times }) => (times > 1 ? `${text} (${times} times)` : text));
  return firstOf(all, MAX_SHOWN_OBSERVATIONS, (more) => `${more} more`).join('; ');
}

/** Returns the rules that observed behavior which the specification leaves open. */
export function observations(rules: readonly RuleResult[]): readonly RuleResult[] {
  return rules.filter(({ level, observed }) => level === 'observe' && observed !== undefined);
}

/**
 * Returns the verdict and its reason as one line, followed by the verdict on the user's own rules.
 */
export function verdictLine(report: Report): string {
  return `${verdictLabel(report).toUpperCase()}: ${reasonOf(report)}`;
}

/** @example verdictLabel(report) // 'conforming, with 4 waived failures' */
export function verdictLabel({ verdict, rules }: Report): string {
  const waived = rules
    .flatMap(({ failures }) => failures)
    .filter(({ waiver }) => waiver !== undefined).length;
  const words = verdict === 'no-failure' ? 'no failure found' : verdict;
  if (verdict === 'nonconforming' || verdict === 'incomplete' || waived === 0) return words;
  return `${words}, with ${counted(waived, 'waived failure')}`;
}

/** Returns the reason for the verdict, and the result of the user's own rules. */
export function reasonOf({ reason, own }: Report): string {
  return own === undefined ? reason : `${reason} ${own.reason}`;
}

/** Returns the name of an outcome in prose. */
export function formatOutcome(outcome: RuleResult['outcome']): string {
  return outcome.replaceAll('-', ' ');
}

/**
 * Returns the entry and its rules as one line, with at most `max` rules and the number of the
 * others.
 *
 * @example
 * withRules({ why: 'not selected by --only', rules: ['a/b', 'c/d'] })
 * // 'not selected by --only (2 rules): a/b, c/d'
 */
export function withRules(entry: NotJudged, max = 20): string {
  const { rules } = entry;
  if (rules.length === 0) return describeNotJudged(entry);
  const more = rules.length > max ? ` and ${rules.length - max} more` : '';
  return `${describeNotJudged(entry)}: ${rules.slice(0, max).join(', ')}${more}`;
}
