import { SECTIONS } from '../contract/clauses.ts';
import type { Report, RuleResult } from '../model/report.ts';
import { OWN_CLAUSE } from '../model/rule.ts';
import { clauseSentence } from './clause-sentence.ts';

const clauseOrder = new Intl.Collator('en', { numeric: true });

/** Returns the rules of each clause with its words, both in the order of the specification. */
export function groupByClause(rules: readonly RuleResult[]) {
  return [...groupBy(rules, ({ clause }) => clause)]
    .sort(([a], [b]) => clauseOrder.compare(a, b))
    .map(([clause, members]) => {
      const [words] = members.flatMap(({ clauseWords }) => clauseWords ?? []);
      return { clause, words: words && clauseSentence(words), rules: members };
    });
}

/** Returns the rules of each section of the specification by its number, in order, and the user's own after them. */
export function groupBySection(
  rules: readonly RuleResult[],
): readonly (readonly [section: string, rules: readonly RuleResult[]])[] {
  return [...groupBy(rules, ({ clause }) => clause.match(/^[0-9]+/)?.[0] ?? clause)].sort(
    ([a], [b]) => clauseOrder.compare(a, b),
  );
}

/** @example sectionName('2') // '2 Resources and their fields' */
export function sectionName(section: string): string {
  if (section === OWN_CLAUSE) return 'rules of your own';
  return [section, SECTIONS[Number(section)]].join(' ').trim();
}

/** What is most urgent comes first. */
const SHOWN_ORDER = [
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

/** Returns how many rules came out how, in words: '84 passed'; what is most urgent comes first. */
export function outcomeCounts(
  rules: readonly RuleResult[],
): readonly { readonly outcome: RuleResult['outcome']; readonly words: string }[] {
  return SHOWN_ORDER.flatMap((outcome) => {
    const count = rules.filter((rule) => rule.outcome === outcome).length;
    const words = `${count} ${COUNT_WORDS[outcome] ?? outcomeWords(outcome)}`;
    return count === 0 ? [] : [{ outcome, words }];
  });
}

/** Returns the rules that could not run, by the reason, but for those that the run left out. */
export function couldNotRun({ rules, leftOut = [] }: Report): LeftOutGroup[] {
  const told = new Set(leftOut.map(({ id }) => id));
  return groupLeftOut(
    rules.flatMap(({ id, outcome, why = '' }) =>
      outcome === 'could-not-run' && !told.has(id) ? [{ id, why }] : [],
    ),
  );
}

/** Returns the rules that tell what the service did where the specification is silent. */
export function observations(rules: readonly RuleResult[]): readonly RuleResult[] {
  return rules.filter(({ level, observed }) => level === 'observe' && observed !== undefined);
}

/** Returns the verdict with its reason, in a line; that on the user's own rules after it. */
export function verdictLine(report: Report): string {
  return `${report.verdict.toUpperCase()}: ${reasonOf(report)}`;
}

/** Returns why the verdict is what it is, and what came of the user's own rules. */
export function reasonOf({ reason, own }: Report): string {
  return own === undefined ? reason : `${reason} ${own.reason}`;
}

/** Returns what an outcome is called in prose. */
export function outcomeWords(outcome: RuleResult['outcome']): string {
  return outcome.replaceAll('-', ' ');
}

/** Rules left out for one reason. */
export type LeftOutGroup = { readonly why: string; readonly ids: readonly string[] };

/** Returns the rules that a run left out by reason, in the order they were first met. */
export function groupLeftOut(leftOut: Report['leftOut'] = []): LeftOutGroup[] {
  return [...groupBy(leftOut, ({ why }) => why)].map(([why, members]) => ({
    why,
    ids: members.map(({ id }) => id),
  }));
}

/**
 * Returns a group in a line: all its rules, or the first few and how many more.
 *
 * @example
 * leftOutLine({ why: 'not in --only', ids: ['a/b', 'c/d'] }) // '2 rules, not in --only: a/b, c/d'
 */
export function leftOutLine({ why, ids }: LeftOutGroup, most = 20): string {
  const shown = ids.slice(0, most).join(', ');
  const more = ids.length > most ? ` and ${ids.length - most} more` : '';
  return `${ids.length === 1 ? '1 rule' : `${ids.length} rules`}, ${why}: ${shown}${more}`;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
