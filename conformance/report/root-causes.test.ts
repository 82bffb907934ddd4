import { describe, expect, test } from 'vitest';
import { causeTitle, rootCausesOf } from './root-causes.ts';
import { sampleFailure, sampleRule } from './sample-report.testing.ts';

const failing = (
  id: string,
  level: 'must' | 'should',
  ...failures: readonly Parameters<typeof sampleFailure>[0][]
) =>
  sampleRule('4.1 rule 6', id, level, 'fail', `title of ${id}`, {
    failures: failures.map((failure) => sampleFailure(failure)),
  });

const exchange = { ...sampleFailure().exchange, status: 422 };
const status422 = {
  ...{ symptom: 'status=422', data: { status: 422 }, actual: '422' },
  ...{ exchange, count: 3 },
};

describe('rootCausesOf', () => {
  test('one wrong status in many rules -> one cause, whose heading is the finding', () => {
    const rules = ['a', 'b', 'c'].map((id) => failing(id, 'must', status422));
    const causes = rootCausesOf(rules);
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatchObject({ rules, count: 9, variants: [] });
    expect(causes.map(causeTitle)).toEqual(['replies have status 422: 3 rules [must]']);
  });

  test('several faults that only one rule finds -> variants of one cause, whose heading is the rule', () => {
    const causes = rootCausesOf([
      failing('a', 'must', { symptom: 'x', actual: 'one' }, { symptom: 'y', actual: 'two' }),
    ]);
    expect(causes.map(causeTitle)).toEqual(['a [must]: title of a']);
    expect(causes[0]).toMatchObject({ example: { actual: 'one' }, variants: ['two'] });
  });

  test('one response to several violations -> the variants name the expected behaviour', () => {
    const [cause] = rootCausesOf([
      failing(
        'a',
        'must',
        { symptom: 'x', expected: '400 for zero', actual: '200' },
        { symptom: 'x', expected: '400 for a word', actual: '200' },
      ),
    ]);
    expect(cause?.variants).toEqual(['expected 400 for a word; was 200']);
  });

  test('a rule with a shared and a separate fault -> in both causes', () => {
    const causes = rootCausesOf([
      failing('a', 'must', status422, { symptom: 'x', actual: 'one' }),
      failing('b', 'should', status422),
    ]);
    expect(causes.map(({ rules }) => rules.map(({ id }) => id))).toEqual([['a', 'b'], ['a']]);
  });

  test('levels -> must before should, then the cause that breaks more rules; waived causes last', () => {
    const waiver = { reason: 'known', expires: '2999-01-01' };
    const causes = rootCausesOf([
      failing('should', 'should', { symptom: 's', actual: 's' }),
      failing('waived', 'must', { symptom: 'w', actual: 'w', waiver }),
      failing('single', 'must', { symptom: 'm', actual: 'm' }),
      failing('x', 'should', status422),
      failing('y', 'must', status422),
    ]);
    expect(causes.map(({ rules: [first] }) => first?.id)).toEqual([
      'y',
      'single',
      'should',
      'waived',
    ]);
    expect(causes.map(({ isWaived }) => isWaived)).toEqual([false, false, false, true]);
  });
});
