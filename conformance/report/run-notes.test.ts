import { describe, expect, test } from 'vitest';
import { coverageNotes, describeDust, latencyNote } from './run-notes.ts';
import { sampleReport } from './sample-report.testing.ts';

describe('describeDust', () => {
  test('a known token -> both units, with the sign', () => {
    const dust = { baseUnits: '-1500000', partsPerMillion: 2, token: '0xab', exchange: 4 };
    expect(describeDust({ ...dust, symbol: 'USDC', decimals: 6 })).toBe(
      '1.5 USDC overspent in request 4: 2 parts per million (1500000 base units of 0xab)',
    );
    const left = { ...dust, baseUnits: '1', partsPerMillion: 0.0073143 };
    expect(describeDust(left)).toBe(
      '1 base unit of 0xab left over in request 4: 0.00731 parts per million',
    );
  });
});

describe('coverageNotes', () => {
  test('replies held back by a delayed acknowledgment -> a note', () => {
    const timing = { endpoint: 'swap', requests: 500, p50Ms: 44, p99Ms: 46, maxMs: 90 };
    const report = sampleReport({ target: 'http://127.0.0.1:8000', timings: [timing] });
    expect(coverageNotes(report).join()).toContain('set TCP_NODELAY');
  });

  test('rejected pairs -> counted together with the pairs that returned a plan', () => {
    const notes = coverageNotes(sampleReport({ pairs: { requested: 6, listed: 6 }, rules: [] }));
    expect(notes).toContain(
      'Pairs with a plan or a rejection: 6 of 6 ordered pairs of listed tokens (100%)',
    );
  });
});

describe('latencyNote', () => {
  test('measured operations -> p50 and p99 of each; no operation -> no note', () => {
    const timing = { requests: 9, maxMs: 9_000 };
    const timings = [
      { ...timing, endpoint: 'swap', p50Ms: 2_514, p99Ms: 8_000 },
      { ...timing, endpoint: 'tokens', p50Ms: 1.26, p99Ms: 12.4 },
    ];
    expect(latencyNote(sampleReport({ timings }))).toBe(
      '/swap p50 2.5 s, p99 8.0 s; /tokens p50 1.3 ms, p99 12 ms',
    );
    expect(latencyNote(sampleReport({ timings: [] }))).toBeUndefined();
  });
});
