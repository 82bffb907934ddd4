import { expect, test } from 'vitest';
import { groupByClause } from './by-clause.ts';
import { sampleRule } from './sample-report.testing.ts';

test('rules in any order -> clauses in the order of the specification, rules in their own', () => {
  const rules = ['10', '2.10 error', '4.1 rule 6', '2.9', '2.10 error'].map((clause, at) =>
    sampleRule(clause, `r/${at}`, 'must', 'pass', 'T', at === 4 ? { clauseWords: 'Words' } : {}),
  );
  const groups = groupByClause(rules);
  expect(groups.map(({ clause }) => clause)).toEqual(['2.9', '2.10 error', '4.1 rule 6', '10']);
  expect(groups[1]?.rules.map(({ id }) => id)).toEqual(['r/1', 'r/4']);
  expect(groups[1]?.words).toBe('Words');
});
