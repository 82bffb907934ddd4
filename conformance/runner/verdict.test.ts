import { describe, expect, test } from 'vitest';
import type { Failure, RuleResult } from '../model/report.ts';
import { exitCodeOf, judgeRun, type VerdictInput } from './verdict.ts';

type Outcome = RuleResult['outcome'];

const result = (level: RuleResult['level'], outcome: Outcome, id = `${level}/${outcome}`) =>
  ({ id, clause: '2.1 router', level, title: 'T', outcome, checks: 1, failures: [] }) as RuleResult;

const judge = (results: readonly RuleResult[], input: Partial<VerdictInput> = {}) => {
  const judged = judgeRun({
    results,
    gate: 'must',
    staleWaivers: 0,
    unreachable: undefined,
    cutShort: undefined,
    isBailed: false,
    headline: undefined,
    interrupted: undefined,
    notJudged: [],
    ...input,
  });
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

  test('only `should` rules selected -> a pass exits 0, a failure does not pass by accident', () => {
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
});
