import { createRandom } from '../../conformance/model/random.ts';
import type { Measurement } from '../engine/measure.ts';
import { createRecorder } from '../engine/recorder.ts';
import type { Share } from '../engine/schedule.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { BUILT_IN_PROFILES } from '../profiles/built-in.ts';
import { buildResult, resultWithoutRun } from './build-result.ts';

/** Shape of a synthetic run. */
export type SampleOptions = {
  readonly seconds?: number;
  readonly rate?: number;
  /** Median latency by endpoint, in milliseconds. */
  readonly medianMs?: Readonly<Record<string, number>>;
  /** Share of timeouts. Default: 0. */
  readonly timeouts?: number;
  readonly seed?: number;
  /** Only every `count`-th request, as one of several machines would send. */
  readonly share?: Share;
};

/**
 * Returns a synthetic result drawn from a seed: log-normal latencies, slower in the middle of the
 * run.
 */
export function sampleResult(shape: SampleOptions = {}): LoadResult {
  const { seconds = 20, rate: rateOfAll = 200, seed = 1, share = WHOLE_SCHEDULE } = shape;
  const rate = rateOfAll / share.count;
  const medianMs = shape.medianMs ?? { swap: 8, 'swap calldata': 14, tokens: 1.2, invalid: 0.8 };
  const stages = [{ durationS: seconds, fromRate: rate, toRate: rate }];
  const profile: Profile = {
    ...(BUILT_IN_PROFILES[1] as Profile),
    workload: { model: 'open', stages: [{ durationS: seconds, rate }] },
    thresholds: [
      { metric: 'wrong', max: 0 },
      { metric: 'errors', max: 0.001 },
      { metric: 'rate', min: 0.99 },
      { metric: 'p99', max: 400 },
    ],
  };
  const result = buildResult({
    about: {
      target: 'http://127.0.0.1:8080/',
      startedAt: '2026-01-02T03:04:05.000Z',
      profile,
      omitted: [],
      service: { kind: 'other', software: 'sample/1', idleMs: 1.4 },
    },
    ...{ seed, names: Object.keys(medianMs) },
    workload: { model: 'open', stages },
    totalS: seconds,
    warmUpS: 2,
    measurement: drawMeasurement({ ...shape, seconds, rate: rateOfAll, medianMs }),
    judge: {
      sampleCount: () => ({ judged: 400, wrong: 0 }),
      result: () => ({ judged: 400, wrong: 0, byEndpoint: {}, findings: [] }),
    },
  });
  return { ...result, client: { ...result.client, node: 'v20.19.0', cores: 4 } };
}

const WHOLE_SCHEDULE: Share = { index: 0, count: 1 };

function drawMeasurement(
  shape: SampleOptions & Required<Pick<SampleOptions, 'seconds' | 'rate' | 'medianMs'>>,
): Measurement {
  const { seconds, rate, medianMs, timeouts = 0, seed = 1, share = WHOLE_SCHEDULE } = shape;
  const random = createRandom(seed);
  const recorder = createRecorder({ warmUpMs: 2000 });
  const names = Object.keys(medianMs);
  for (let n = 0; n < seconds * rate; n++) {
    const dueMs = (n / rate) * 1000;
    const endpoint = names[Math.floor(random() * names.length)] as string;
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const slow = Math.abs(n / (seconds * rate) - 0.5) < 0.05 ? 6 : 1;
    const lost = random() < timeouts;
    if (n % share.count !== share.index) continue;
    recorder.countSent(dueMs);
    const latency = lost ? 1000 : (medianMs[endpoint] as number) * slow * Math.exp(0.4 * normal);
    recorder.record({
      endpoint,
      dueMs,
      sentMs: dueMs,
      endMs: dueMs + latency,
      ...(lost ? { error: 'timeout' as const } : { status: endpoint === 'invalid' ? 400 : 200 }),
    });
  }
  return {
    endpoints: recorder.endpoints(),
    intervals: recorder.takeIntervals(Number.POSITIVE_INFINITY),
    intervalMs: 1000,
    sent: (seconds * rate) / share.count,
    sentAgain: 3,
    durationMs: seconds * 1000 + 12,
    clientLag: { p99Ms: 0.4, maxMs: 3.1 },
    clientCpu: [0.21],
    lostProcesses: 0,
    aborted: false,
  };
}

/**
 * Returns a run with everything that can break a report: markup in names, wrong replies, lost
 * requests.
 */
export function hostileResult(): LoadResult {
  const result = sampleResult({ timeouts: 0.02 });
  return {
    ...result,
    verdict: 'failed',
    reason: 'wrong of all requests is 3: at most 0 allowed </script><script>alert(1)</script>',
    target: `http://${'w'.repeat(63)}.example/"><img src=x onerror=alert(1)>`,
    omitted: [`swap rfq: no discovered pair allows such a request <b> ${'W'.repeat(120)}`],
    thresholds: [
      { metric: 'wrong', endpoint: 'all', max: 0, actual: 3, held: false, firstCrossedS: 4 },
      ...result.thresholds.slice(1),
    ],
    samples: {
      judged: 400,
      wrong: 3,
      byEndpoint: { swap: { judged: 250, wrong: 3 }, tokens: { judged: 150, wrong: 0 } },
      findings: [
        {
          rule: 'swap/conservation',
          clause: '1.1',
          expected: 'an outflow equal to the inflow',
          actual: 'token 2 keeps 14 base units </script>\u0000]]>',
          target:
            '/api/v1.0/swap?chainId=1&sellToken=0x0&buyToken=0x1&sellAmount=1000&apiKey=$SWAPCHECK_API_KEY',
          status: 200,
          excerpt: '{"aggregator":"</script><script>alert(1)</script>","routes":[]}',
          count: 3,
          firstS: 4,
        },
      ],
    },
  };
}

/**
 * Returns a search that found its bracket: one rate held. The next rate was too high, at first for
 * the service, then for the client.
 */
export function searchResult(): LoadResult {
  const step = { rate: 200, reached: 199.5, p50: 12, p99: 300, errors: 4 };
  return {
    ...sampleResult({ rate: 100 }),
    verdict: 'passed',
    reason: 'the thresholds hold at 100/s and do not at 200/s',
    breakpoint: {
      highestHeld: 100,
      lowestCrossed: 200,
      steps: [
        { rate: 100, reached: 100, outcome: 'held', p50: 8, p99: 40, errors: 0, reasons: [] },
        {
          ...step,
          outcome: 'crossed',
          reasons: [
            'p99 of all requests is 300 ms: at most 250 ms allowed, crossed by 50 ms (20%)',
          ],
        },
        { ...step, outcome: 'invalid', reasons: ['the client fell behind its own schedule'] },
      ],
    },
  };
}

/** Returns the result for a service that does not respond. */
export function notStartedSample(): LoadResult {
  const { profile, seed, startedAt, target } = sampleResult();
  const reason = `${target} cannot be load-tested: connection refused`;
  return resultWithoutRun({
    verdict: 'incomplete',
    reason,
    profile,
    seed,
    startedAt,
    target,
  });
}
