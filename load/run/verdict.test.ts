import { describe, expect, test } from 'vitest';
import type { LoadResult, ThresholdResult } from '../report/load-result.ts';
import { sampleResult } from '../report/sample-result.testing.ts';
import { type Evidence, searchVerdict, verdictOf } from './verdict.ts';

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
    expect(verdict({}, { sent: 0 })).toMatchObject({ verdict: 'incomplete' });
  });
});

describe('searchVerdict', () => {
  const attempt = (rate: number, part: Partial<LoadResult>) => ({
    rate,
    result: { ...sampleResult({ seconds: 3, rate: 20 }), ...part },
  });
  const breakpoint = { steps: [], highestHeld: 100, lowestCrossed: 200 };

  test('a bracket -> passed, and told', () => {
    const attempts = [attempt(100, { verdict: 'passed' }), attempt(200, { verdict: 'failed' })];
    expect(searchVerdict({ breakpoint, attempts })).toEqual({
      verdict: 'passed',
      reason: 'the thresholds hold at 100/s and do not at 200/s',
    });
  });

  test('the client fell behind at the upper end -> said', () => {
    const behind = attempt(200, { verdict: 'invalid', reason: 'the client fell behind' });
    const passed = attempt(100, { verdict: 'passed' });
    expect(searchVerdict({ breakpoint, attempts: [passed, behind, behind] }).reason).toContain(
      'where the client itself fell behind',
    );
    const once = [passed, attempt(200, { verdict: 'failed' }), behind];
    expect(searchVerdict({ breakpoint, attempts: once }).reason).not.toContain('client');
  });

  test('the client fell behind at the lowest rate -> invalid, not failed', () => {
    const behind = attempt(100, { verdict: 'invalid', reason: 'the client fell behind' });
    const none = { steps: [], lowestCrossed: 100 };
    expect(searchVerdict({ breakpoint: none, attempts: [behind, behind] })).toEqual({
      verdict: 'invalid',
      reason: 'at 100/s the client fell behind',
    });
  });

  test('no rate held -> failed; an ended run -> incomplete', () => {
    const none = { steps: [], lowestCrossed: 100 };
    const failed = attempt(100, { verdict: 'failed' });
    expect(searchVerdict({ breakpoint: none, attempts: [failed] })).toEqual({
      verdict: 'failed',
      reason: 'the thresholds do not hold even at 100/s',
    });
    const ended = attempt(200, { verdict: 'incomplete', reason: 'the run was ended early' });
    expect(searchVerdict({ breakpoint, attempts: [failed, ended] })).toEqual({
      verdict: 'incomplete',
      reason: 'the run was ended early',
    });
  });

  test('a wrong reply at any rate -> failed, with the bracket', () => {
    const attempts = [
      attempt(100, { verdict: 'passed' }),
      attempt(200, { verdict: 'failed', thresholds: [wrong] }),
    ];
    expect(searchVerdict({ breakpoint, attempts })).toEqual({
      verdict: 'failed',
      reason:
        'at 200/s wrong of all requests is 2: at most 0 allowed, crossed by 2; the thresholds hold at 100/s and do not at 200/s',
    });
  });
});
