import { describe, expect, test } from 'vitest';
import type { ThresholdResult } from '../model/load-result.ts';
import { type Evidence, verdictOf } from './verdict.ts';

const held: ThresholdResult = { metric: 'p99', endpoint: 'all', max: 50, actual: 20, held: true };
const crossed: ThresholdResult = { ...held, actual: 80, held: false, firstCrossedS: 3 };
const wrong: ThresholdResult = { metric: 'wrong', endpoint: 'all', max: 0, actual: 2, held: false };
const unmeasured: ThresholdResult = { metric: 'p99', endpoint: 'tokens', max: 50, held: false };

function verdict(change: Partial<Evidence>, measured: Partial<Evidence['measurement']> = {}) {
  return verdictOf({
    measurement: {
      aborted: false,
      lostProcesses: 0,
      sent: 100,
      clientLag: { p99Ms: 1, maxMs: 2 },
      ...measured,
    },
    thresholds: [held],
    judged: 50,
    model: 'open',
    ...change,
  });
}

describe('verdictOf', () => {
  test('every threshold held -> passed', () => {
    expect(verdict({})).toEqual({ verdict: 'passed', reason: 'all 1 thresholds held' });
  });

  test('a crossed threshold -> failed, in words', () => {
    expect(verdict({ thresholds: [held, crossed, unmeasured] })).toEqual({
      verdict: 'failed',
      reason:
        'p99 of all requests is 80 ms: at most 50 ms allowed, crossed by 30 ms (60 %), first at 3 s',
    });
  });

  test('a threshold that could not be measured, or no judged reply -> incomplete', () => {
    expect(verdict({ thresholds: [held, unmeasured] })).toEqual({
      verdict: 'incomplete',
      reason: 'p99 of tokens was not measured: at most 50 ms allowed',
    });
    expect(verdict({ judged: 0 })).toMatchObject({ verdict: 'incomplete' });
  });

  test('a client behind its schedule -> invalid, whatever was crossed, loudly', () => {
    const late = { clientLag: { p99Ms: 21, maxMs: 400 } };
    expect(verdict({}, late)).toMatchObject({ verdict: 'invalid' });
    expect(verdict({}, late).reason).toMatch(/client fell behind .* 21 ms late/);
    expect(verdict({ thresholds: [crossed] }, late)).toMatchObject({ verdict: 'invalid' });
  });

  test('a client within its bound, or without a schedule -> not invalid', () => {
    const late = { clientLag: { p99Ms: 21, maxMs: 400 } };
    expect(verdict({ maxClientLagMs: 25 }, late)).toMatchObject({ verdict: 'passed' });
    expect(verdict({ model: 'closed' }, late)).toMatchObject({ verdict: 'passed' });
    expect(verdict({}, { clientLag: { p99Ms: 20, maxMs: 400 } }).verdict).toBe('passed');
  });

  test('a wrong reply -> failed, however late it was asked for', () => {
    const late = { clientLag: { p99Ms: 500, maxMs: 900 } };
    expect(verdict({ thresholds: [wrong] }, late)).toMatchObject({ verdict: 'failed' });
  });

  test('a lost client process -> invalid; an ended run, or nothing sent -> incomplete', () => {
    expect(verdict({}, { lostProcesses: 1 })).toMatchObject({ verdict: 'invalid' });
    expect(verdict({}, { aborted: true })).toMatchObject({ verdict: 'incomplete' });
    const reason = 'the run was ended early: for a cause';
    expect(verdict({ endedBy: 'for a cause' }, { aborted: true })).toMatchObject({ reason });
    expect(verdict({}, { sent: 0 })).toMatchObject({ verdict: 'incomplete' });
  });
});
