import type { RuleResult } from '../model/report.ts';

const clauseOrder = new Intl.Collator('en', { numeric: true });

/** The rules of one clause, in the order of the catalogue. */
export type ClauseGroup = {
  readonly clause: string;
  readonly words: string | undefined;
  readonly rules: readonly RuleResult[];
};

/** Returns rules grouped by clause, in the order of the specification. */
export function groupByClause(rules: readonly RuleResult[]): readonly ClauseGroup[] {
  const groups = new Map<string, RuleResult[]>();
  for (const rule of rules) {
    const group = groups.get(rule.clause);
    if (group === undefined) groups.set(rule.clause, [rule]);
    else group.push(rule);
  }
  return [...groups]
    .sort(([a], [b]) => clauseOrder.compare(a, b))
    .map(([clause, members]) => ({
      clause,
      words: members.find(({ clauseWords }) => clauseWords !== undefined)?.clauseWords,
      rules: members,
    }));
}
