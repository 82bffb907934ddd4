import { describe, expect, test } from 'vitest';
import { groupByClause, verdictLabel, withRules } from './rule-results.ts';
import { sampleReport, sampleRule } from './sample-report.testing.ts';

describe('groupByClause', () => {
  test('rules in any order -> clauses in the order of the specification, each with its rules in order', () => {
    const rules = ['10', '2.10 error', '4.1 rule 6', '2.9', '2.10 error'].map((clause, at) =>
      sampleRule(clause, `r/${at}`, 'must', 'pass', 'T', at === 4 ? { clauseWords: 'Words' } : {}),
    );
    const groups = groupByClause(rules);
    expect(groups.map(({ clause }) => clause)).toEqual(['2.9', '2.10 error', '4.1 rule 6', '10']);
    expect(groups[1]?.rules.map(({ id }) => id)).toEqual(['r/1', 'r/4']);
    expect(groups[1]?.words).toBe('Words');
  });
});

describe('withRules', () => {
  test('more rules than fit -> the first ones, and the number of others', () => {
    expect(withRules({ why: 'not selected by --only', rules: ['a', 'b', 'c'] }, 2)).toBe(
      'not selected by --only (3 rules): a, b and 1 more',
    );
  });

  test('a need that the user can meet -> shown', () => {
    expect(
      withRules({ why: 'calldata was not executed', needs: '--fork CHAIN=RPC', rules: ['a'] }),
    ).toBe('calldata was not executed: 1 rule needs --fork CHAIN=RPC: a');
  });
});

describe('verdictLabel', () => {
  const failure = sampleReport().rules.flatMap(({ failures }) => failures)[0];
  if (failure === undefined) throw new Error('the sample report has a failure');
  const waiver = { reason: 'known', expires: '2999-01-01' };
  const waived = sampleRule('1', 'a/b', 'must', 'waived', 'T', {
    failures: [
      { ...failure, waiver },
      { ...failure, waiver },
    ],
  });

  test('conforming with waived failures -> includes their number', () => {
    const report = { ...sampleReport(), verdict: 'conforming' as const, rules: [waived] };
    expect(verdictLabel(report)).toBe('conforming, with 2 waived failures');
    expect(verdictLabel({ ...report, rules: [] })).toBe('conforming');
  });
});
