import { describe, expect, test } from 'vitest';
import type { Report, RuleResult } from '../model/report.ts';
import { renderText } from '../output/text.ts';
import { compareReports } from './compare.ts';
import { comparisonDocument } from './comparison-document.ts';
import { sampleFailure, sampleReport, sampleRule } from './sample-report.testing.ts';

type Observed = NonNullable<RuleResult['observed']>[number];
const rule = (
  id: string,
  outcome: RuleResult['outcome'],
  ...observed: readonly (string | Observed)[]
) =>
  sampleRule(
    '4.1 rule 1',
    id,
    outcome === 'observed' ? 'observe' : 'must',
    outcome,
    `Title of ${id}`,
    {
      ...(outcome === 'fail' && { failures: [sampleFailure({ actual: 'status 200' })] }),
      ...(observed.length > 0 && {
        observed: observed.map((each) =>
          typeof each === 'string' ? { text: each, times: 1 } : each,
        ),
      }),
    },
  );
const report = (...rules: RuleResult[]): Report => sampleReport({ rules });
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe('compareReports', () => {
  test('a run compared with itself -> no change, passed', () => {
    const comparison = compareReports(sampleReport(), sampleReport());
    const { kind: _kind, verdict, ...changes } = comparison;
    expect(verdict).toBe('passed');
    expect(Object.values(changes).flat()).toEqual([]);
    expect(renderText(comparisonDocument(comparison))).toBe(
      'PASSED: 0 newly failing, 0 failing in a new way, 0 newly passing, 0 otherwise changed, 0 changed observations\n',
    );
  });

  test('a rule that did not fail before -> newly failing, with the verdict failed', () => {
    const before = (['pass', 'not-applicable', 'could-not-run', 'waived'] as const).map((outcome) =>
      rule(outcome, outcome),
    );
    const after = [...before.map(({ id }) => rule(id, 'fail')), rule('new', 'fail')];
    const comparison = compareReports(report(...before), report(...after));
    expect(ids(comparison.newlyFailing)).toEqual([...before.map(({ id }) => id), 'new']);
    expect(comparison.newlyFailing[0]?.actual).toBe('status 200');
    expect(comparison.verdict).toBe('failed');
  });

  test('a rule that fails in both -> no change', () => {
    const comparison = compareReports(report(rule('a', 'fail')), report(rule('a', 'fail')));
    expect(comparison.newlyFailing).toEqual([]);
  });

  test('a rule that passes again -> newly passing; a rule that could not run or is gone -> not', () => {
    const base = report(rule('a', 'fail'), rule('b', 'fail'), rule('c', 'fail'));
    const head = report(rule('a', 'pass'), rule('b', 'could-not-run'));
    const comparison = compareReports(base, head);
    expect(ids(comparison.newlyPassing)).toEqual(['a']);
    expect(ids(comparison.otherwiseChanged)).toEqual(['b', 'c']);
    expect(comparison.verdict).toBe('passed');
  });

  test('an incomplete second run -> incomplete, unless a rule newly fails', () => {
    const open = { verdict: 'incomplete', reason: 'The run was ended early.' } as const;
    const base = report(rule('a', 'pass'));
    const cut = compareReports(base, { ...report(rule('a', 'could-not-run')), ...open });
    expect(cut.verdict).toBe('incomplete');
    expect(renderText(comparisonDocument(cut))).toMatch(
      /^INCOMPLETE: .*; the second run is incomplete: The run was ended early\.$/m,
    );
    const failed = compareReports(base, { ...report(rule('a', 'fail')), ...open });
    expect(failed.verdict).toBe('failed');
    expect(compareReports({ ...base, ...open }, base).verdict).toBe('passed');
  });

  test('a rule that fails in both, with a new cause in the second -> failing in a new way, with the new failure', () => {
    const failing = (...causes: readonly string[]) =>
      sampleRule('1', 'a', 'must', 'fail', 'T', {
        failures: causes.map((cause) => sampleFailure({ cause, actual: cause })),
      });
    const comparison = compareReports(report(failing('one')), report(failing('one', 'two')));
    expect(comparison.failingDifferently).toMatchObject([{ id: 'a', actual: 'two' }]);
    expect(comparison.newlyFailing).toEqual([]);
    const less = compareReports(report(failing('one', 'two')), report(failing('one')));
    expect(less.failingDifferently).toEqual([]);
  });

  test('a long list of observations -> only the differences are shown', () => {
    const base = report(rule('a', 'observed', 'one', { text: 'two', times: 3 }, 'three'));
    const head = report(rule('a', 'observed', { text: 'two', times: 9 }, 'three', 'four'));
    expect(compareReports(base, head).changedObservations).toMatchObject([
      { before: 'one', after: 'four' },
    ]);
  });

  test('a changed note on a `must` rule -> no changed observation', () => {
    const noted = (text: string) => report(rule('a', 'pass', text));
    expect(
      compareReports(noted('24 not tried'), noted('22 not tried')).changedObservations,
    ).toEqual([]);
  });

  test('a different observation -> shown before and after', () => {
    const base = report(rule('a', 'observed', 'status 401'), rule('b', 'observed', 'same'));
    const head = report(rule('a', 'observed', 'status 403'), rule('b', 'observed', 'same'));
    const { changedObservations } = compareReports(base, head);
    expect(changedObservations).toMatchObject([
      { id: 'a', before: 'status 401', after: 'status 403' },
    ]);
  });

  test('the same observations with different counts -> no change', () => {
    const changed = (before: readonly Observed[], after: readonly Observed[]) =>
      compareReports(
        report(rule('a', 'observed', ...before)),
        report(rule('a', 'observed', ...after)),
      ).changedObservations;
    const [no, bad] = [
      { text: '400 "NO"', times: 412 },
      { text: '400 "BAD"', times: 1 },
    ];
    expect(
      changed(
        [no, bad],
        [
          { ...bad, times: 2 },
          { ...no, times: 1 },
        ],
      ),
    ).toEqual([]);
    const cases = (some: number, of: number, share: string) =>
      [{ text: `in ${some} of ${of} cases`, key: `in ${share} cases`, times: 1 }] as const;
    expect(changed(cases(2, 12, 'some'), cases(5, 18, 'some'))).toEqual([]);
    expect(changed(cases(0, 12, 'no'), cases(1, 12, 'some'))).toMatchObject([
      { before: 'in 0 of 12 cases', after: 'in 1 of 12 cases' },
    ]);
  });
});

describe('comparisonDocument', () => {
  test('changes -> newly failing rules last, next to the counts', () => {
    const base = report(rule('a', 'pass'), rule('b', 'fail'), rule('c', 'observed', 'x'));
    const head = report(rule('a', 'fail'), rule('b', 'pass'), rule('c', 'observed', 'y\u001b'));
    expect(
      renderText(comparisonDocument(compareReports(base, head))),
    ).toBe(`Changed where the specification is silent
  4.1 rule 1  c: Title of c
      Before: x
       After: y\\u{1b}

Newly passing
  4.1 rule 1  b [must]: Title of b (fail -> pass)

Newly failing
  4.1 rule 1  a [must]: Title of a (pass -> fail)
      Actual: status 200

FAILED: 1 newly failing, 0 failing in a new way, 1 newly passing, 0 otherwise changed, 1 changed observations
`);
  });
});
