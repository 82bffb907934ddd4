import { describe, expect, test } from 'vitest';
import type { Failure, RuleResult } from '../model/report.ts';
import { exitCodeOf, judgeRun, type VerdictInput } from './verdict.ts';

type Outcome = RuleResult['outcome'];

const result = (level: RuleResult['level'], outcome: Outcome, id = `${level}/${outcome}`) =>
  ({ id, clause: '2.1 router', level, title: 'T', outcome, checks: 1, failures: [] }) as RuleResult;

const INPUT: VerdictInput = { results: [], gate: 'must', staleWaivers: 0, notJudged: [] };

const judge = (results: readonly RuleResult[], input: Partial<VerdictInput> = {}) => {
  const judged = judgeRun({ ...INPUT, results, ...input });
  return [exitCodeOf(judged), judged.reason] as const;
};

describe('judgeRun', () => {
  test('rules that were not judged -> named next to the verdict', () => {
    const notJudged = [
      { why: 'calldata was not executed', needs: '--fork CHAIN=RPC', rules: ['a', 'b'] },
      { why: 'not selected by --only', rules: ['c'] },
      { why: '59 of 216 trades sell a token that could not be funded', rules: [] },
    ];
    expect(judge([result('must', 'pass')], { notJudged })).toEqual([
      0,
      '1 `must` rule passed. Not judged: calldata was not executed: 2 rules need --fork CHAIN=RPC; not selected by --only (1 rule); 59 of 216 trades sell a token that could not be funded.',
    ]);
  });

  test('waived failures -> counted, never called passed', () => {
    const waiver = { reason: 'known', expires: '2999-01-01' };
    const failures = [{ waiver }, { waiver }] as Failure[];
    const waived = { ...result('must', 'waived'), failures };
    expect(judge([result('must', 'pass'), waived])).toEqual([
      0,
      '1 `must` rule passed, 2 failures are waived.',
    ]);
  });

  test('only `should` rules selected -> exits 0 for a pass, 3 for a failure', () => {
    expect(judge([result('should', 'pass')])).toEqual([
      0,
      '1 `should` rule passed. No `must` rule was selected.',
    ]);
    expect(judge([result('should', 'fail')])).toEqual([
      3,
      '1 `should` rule failed: should/fail. No `must` rule was selected: pass --level should to count it.',
    ]);
    expect(judge([result('should', 'fail')], { gate: 'should' })[0]).toBe(1);
  });

  test('only `observe` rules selected -> exits 0 once something was observed', () => {
    expect(judge([result('observe', 'observed')])).toEqual([
      0,
      '1 `observe` rule recorded what the service does. No `must` rule was selected.',
    ]);
    expect(judge([result('observe', 'not-applicable')])[0]).toBe(3);
  });

  test('nothing asserted -> incomplete', () => {
    expect(judge([result('must', 'not-applicable')])[0]).toBe(3);
    expect(judge([])[0]).toBe(3);
  });

  test('a service that died -> the headline follows the failures, and explains rules that could not run', () => {
    const headline = 'The service stopped answering at request 834: connection refused.';
    expect(judge([result('must', 'fail')], { headline })).toEqual([
      1,
      `1 \`must\` rule failed: must/fail. ${headline}`,
    ]);
    expect(judge([result('must', 'could-not-run')], { headline })).toEqual([
      3,
      `1 \`must\` rule could not run: must/could-not-run. ${headline}`,
    ]);
  });

  test('failed `should` rules -> counted next to any verdict, unless `should` rules decide it', () => {
    const should = [result('should', 'fail', 'a'), result('should', 'fail', 'b')];
    expect(judge([result('must', 'pass'), ...should])).toEqual([
      0,
      '1 `must` rule passed; 2 `should` rules failed.',
    ]);
    expect(judge([result('must', 'fail'), ...should])[1]).toBe(
      '1 `must` rule failed: must/fail; 2 `should` rules failed.',
    );
    expect(judge([result('must', 'could-not-run'), ...should])[1]).toBe(
      '1 `must` rule could not run: must/could-not-run; 2 `should` rules failed.',
    );
    expect(judge([result('must', 'pass'), ...should], { staleWaivers: 1 })[1]).toBe(
      '1 waiver has expired or no longer matches a failure; 2 `should` rules failed.',
    );
    expect(judge([result('must', 'pass'), ...should], { gate: 'should' })[1]).toBe(
      '2 `must` or `should` rules failed: a, b.',
    );
  });

  describe('captured replies', () => {
    const captured = new Map([
      ['/swap', 2],
      ['/chains', 1],
    ]);
    const results = [result('must', 'pass'), result('must', 'not-applicable', 'a')];
    const verdictOf = (judged: readonly RuleResult[]) =>
      judgeRun({ ...INPUT, results: judged, captured });

    test('every `must` on replies was applied -> conforming, with the replies', () => {
      expect(verdictOf([result('must', 'pass')])).toEqual({
        verdict: 'conforming',
        reason: '1 `must` rule passed in 3 captured replies (2 of /swap, 1 of /chains).',
      });
    });

    test('a `must` on replies was not applied -> no failure, exit 0, with the names of the rules', () => {
      const judged = verdictOf(results);
      expect(judged).toEqual({
        verdict: 'no-failure',
        reason:
          '1 `must` rule passed in 3 captured replies (2 of /swap, 1 of /chains). No reply showed what 1 `must` rule judges: a.',
      });
      expect(exitCodeOf(judged)).toBe(0);
      expect(verdictOf([...results, result('must', 'fail', 'b')])).toEqual({
        verdict: 'nonconforming',
        reason: '1 `must` rule failed in 3 captured replies (2 of /swap, 1 of /chains): b.',
      });
    });
  });
});
