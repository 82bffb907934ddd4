import { describe, expect, test } from 'vitest';
import { groupByClause, groupLeftOut, leftOutLine } from './rule-results.ts';
import { sampleRule } from './sample-report.testing.ts';

describe('groupByClause', () => {
  test('rules in any order -> clauses in the order of the specification, rules in their own', () => {
    const rules = ['10', '2.10 error', '4.1 rule 6', '2.9', '2.10 error'].map((clause, at) =>
      sampleRule(clause, `r/${at}`, 'must', 'pass', 'T', at === 4 ? { clauseWords: 'Words' } : {}),
    );
    const groups = groupByClause(rules);
    expect(groups.map(({ clause }) => clause)).toEqual(['2.9', '2.10 error', '4.1 rule 6', '10']);
    expect(groups[1]?.rules.map(({ id }) => id)).toEqual(['r/1', 'r/4']);
    expect(groups[1]?.words).toBe('Words');
  });
});

describe('groupLeftOut', () => {
  test('two reasons -> two groups, each rule once', () => {
    expect(
      groupLeftOut([
        { id: 'a/1', why: 'not in --only' },
        { id: 'b/1', why: 'no time left' },
        { id: 'a/2', why: 'not in --only' },
      ]),
    ).toEqual([
      { why: 'not in --only', ids: ['a/1', 'a/2'] },
      { why: 'no time left', ids: ['b/1'] },
    ]);
  });

  test('nothing left out -> no group', () => {
    expect(groupLeftOut()).toEqual([]);
  });
});

describe('leftOutLine', () => {
  test('more rules than fit -> the first, and how many more', () => {
    expect(leftOutLine({ why: 'not in --only', ids: ['a', 'b', 'c'] }, 2)).toBe(
      '3 rules, not in --only: a, b and 1 more',
    );
  });
});
