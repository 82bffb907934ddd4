import type { Report, RuleResult } from '../model/report.ts';

const clauseOrder = new Intl.Collator('en', { numeric: true });

/** The rules of one clause, in the order of the catalogue. */
export type ClauseGroup = {
  readonly clause: string;
  readonly words: string | undefined;
  readonly rules: readonly RuleResult[];
};

export function groupByClause(rules: readonly RuleResult[]): readonly ClauseGroup[] {
  return [...groupBy(rules, ({ clause }) => clause)]
    .sort(([a], [b]) => clauseOrder.compare(a, b))
    .map(([clause, members]) => ({
      clause,
      words: members.find(({ clauseWords }) => clauseWords !== undefined)?.clauseWords,
      rules: members,
    }));
}

/** Returns the rules of each section of the specification by its number, in order, and the user's own after them. */
export function groupBySection(
  rules: readonly RuleResult[],
): readonly (readonly [section: string, rules: readonly RuleResult[]])[] {
  return [...groupBy(rules, ({ clause }) => clause.match(/^[0-9]+/)?.[0] ?? clause)].sort(
    ([a], [b]) => clauseOrder.compare(a, b),
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
