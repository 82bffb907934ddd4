import { expect, test } from 'vitest';
import { openTally } from './tally.ts';
import { probeOf, verdictOf } from './verdict.testing.ts';

const rule = probeOf(async () => {});
const fault = { fault: 'a', expected: ['b'], actual: ['c'] };

test('assertions -> counted, and those with faults reported', () => {
  const reported = openTally(rule);
  reported.tally.check();
  reported.tally.check([]);
  reported.tally.check([fault, fault]);
  expect(verdictOf(reported)).toMatchObject({
    kind: 'judged',
    checks: 3,
    findings: [fault, fault],
  });
});

test('a rule that asserted nothing -> did not pass; stuck outranks skip', () => {
  const reported = openTally(rule);
  expect(verdictOf(reported)).toMatchObject({ kind: 'could-not-run' });
  reported.tally.skip('nothing to request');
  expect(verdictOf(reported)).toEqual({ kind: 'not-applicable', why: 'nothing to request' });
  reported.tally.stuck('no reply');
  reported.tally.skip('nothing else');
  expect(verdictOf(reported)).toEqual({ kind: 'could-not-run', why: 'no reply' });
  reported.tally.check();
  expect(verdictOf(reported)).toMatchObject({ kind: 'judged', checks: 1 });
});

test('a rule that was stopped -> keeps its faults, asserts nothing more, and does not pass', () => {
  const { tally, faults } = openTally(rule);
  tally.check(fault);
  tally.block({ kind: 'could-not-run', why: 'stopped' });
  tally.check(fault);
  expect([tally.checks, faults.length, tally.obstacle?.why]).toEqual([1, 1, 'stopped']);
});
