import { describe, expect, test } from 'vitest';
import { createRandom } from '../../conformance/model/random.ts';
import type { LoadResult } from '../model/load-result.ts';
import { sampleResult } from '../result/sample-result.testing.ts';
import { parseRegressionBound } from './change.ts';
import { runRounds } from './compare-interleaved.ts';

const TEMPLATE = sampleResult({ seconds: 5, rate: 40 });
const REQUESTS = 2_000;
const ROUND_MS = 20_000;

type Service = (ms: number, chance: number) => number;
const unchanged: Service = (ms) => ms;
const slower: Service = (ms) => ms * 1.15;
const stalling: Service = (ms, chance) => (chance < 0.02 ? ms + 12 : ms);

/** Latencies are log-normal, and the machine is slower in some runs. */
function draw(uniform: () => number, service: Service, unsteady: number): LoadResult {
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const machine = Math.exp(unsteady * normal());
  const sorted = Array.from({ length: REQUESTS }, () =>
    service(2 * machine * Math.exp(0.4 * normal()), uniform()),
  ).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * REQUESTS)] ?? 0;
  const [all] = TEMPLATE.endpoints;
  if (all === undefined) throw new Error('a result has metrics');
  const latencyMs = {
    ...all.latencyMs,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    'p99.9': at(0.999),
  };
  return { ...TEMPLATE, endpoints: [{ ...all, name: 'all', requests: REQUESTS, latencyMs }] };
}

async function compare(
  head: Service,
  seed: number,
  { unsteady = 0.02, maxTimeMs = 3_600_000 } = {},
) {
  const uniform = createRandom(seed);
  let elapsedMs = 0;
  const simulate = (service: Service) => async () => {
    elapsedMs += ROUND_MS / 2;
    return draw(uniform, service, unsteady);
  };
  const url = new URL('http://service.example');
  const comparison = await runRounds(
    { rounds: 4, base: url, head: url, bounds: [parseRegressionBound('p99>10%')], maxTimeMs },
    { base: simulate(unchanged), head: simulate(head) },
    { leftMs: () => maxTimeMs - elapsedMs, isSpent: () => false },
  );
  const p99 = comparison.changes.find(({ metric }) => metric === 'p99');
  return { ...comparison, p99, rounds: elapsedMs / ROUND_MS, elapsedMs };
}

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 1);
const compareAll = (head: Service) => Promise.all(SEEDS.map((seed) => compare(head, seed)));

describe('runRounds', () => {
  test('a service compared with itself -> passed as soon as the bound is outside the interval', async () => {
    const comparisons = await compareAll(unchanged);
    expect(comparisons.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    for (const { p99 } of comparisons) expect(p99?.interval[1]).toBeLessThanOrEqual(0.1);
  });

  test('2% of the requests slower by 12 ms -> failed, in the requested rounds', async () => {
    const comparisons = await compareAll(stalling);
    expect(new Set(comparisons.map(({ verdict }) => verdict))).toEqual(new Set(['failed']));
    expect(Math.max(...comparisons.map(({ rounds }) => rounds))).toBeLessThan(8);
    expect(comparisons[0]?.p99?.change).toBeGreaterThan(0.8);
  });

  test('15% slower -> failed, after added rounds', async () => {
    const comparisons = await compareAll(slower);
    expect(comparisons.filter(({ verdict }) => verdict !== 'failed')).toEqual([]);
    for (const { p99 } of comparisons) expect(p99?.interval[0]).toBeGreaterThan(0.1);
    expect(Math.max(...comparisons.map(({ rounds }) => rounds))).toBeGreaterThan(4);
  });

  test.each([
    ['a service compared with itself', unchanged],
    ['15% slower', slower],
  ])(
    '%s, in a short comparison on a noisy machine -> unclear, with the smallest detectable change',
    async (_, head) => {
      const maxTimeMs = 6.5 * ROUND_MS;
      const { verdict, reason, elapsedMs, p99 } = await compare(head, 3, {
        unsteady: 1,
        maxTimeMs,
      });
      expect(verdict).toBe('incomplete');
      expect(reason).toMatch(
        /^p99>10% is unclear: p99 of all is between -\d+\.\d% and \+\d+\.\d%; the smallest detectable change is \+\d+\.\d%$/,
      );
      expect(p99?.interval[1]).toBeGreaterThan(0.1);
      expect(elapsedMs).toBeLessThanOrEqual(maxTimeMs);
    },
  );
});
