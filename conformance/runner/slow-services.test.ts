import { describe, expect, test } from 'vitest';
import { type Clock, sleep } from '../client/clock.ts';
import { createFakeClock } from '../client/fake-clock.testing.ts';
import { inProcess, type Service } from '../client/in-process.testing.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import type { Scheduler } from '../client/scheduler.ts';
import { openService } from '../discovery/open-service.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../generate/generator.ts';
import { modelSession } from '../model/model-service.testing.ts';
import { createRandom } from '../model/random.ts';
import { type JudgeOptions, judgeService } from './judge-service.testing.ts';
import { Pace } from './pace.ts';
import { resolveOptions, type Settings } from './run-options.ts';

const generator: RequestGenerator = {
  ...MARKET_GENERATOR,
  traffic: (facts, seed) => [...MARKET_GENERATOR.traffic(facts, seed)].slice(0, 200),
};

type Sheds = (inFlight: number) => boolean;

async function judgeSlow(delayMs: number, sheds: Sheds = () => false, options: JudgeOptions = {}) {
  const clock = createFakeClock();
  const { get } = modelSession();
  let inFlight = 0;
  const service: Service = async (url, { method, signal }) => {
    const isShed = sheds(++inFlight);
    await sleep(clock, isShed ? 10 : delayMs, signal);
    inFlight--;
    if (isShed) return { status: 500, body: { error: 'BUSY', message: 'busy' } };
    const query = [...url.searchParams].map(
      ([name, value]) => [name, value === 'own' ? KEY_PLACEHOLDER : value] as const,
    );
    const { outcome } = await get({ path: url.pathname, query, key: 'as-written', method });
    if (outcome.kind !== 'reply') throw new Error('the model always replies');
    return { status: outcome.status, body: outcome.text };
  };
  const { report, events } = await judgeService(service, {
    apiKey: 'own',
    generator,
    clock,
    ...options,
  });
  return { report, started: events.find((event) => event.type === 'discovery-finished') };
}

/** Returns the pace of a run that has sent the given requests. */
function paceOf(run: {
  readonly clock: Clock;
  readonly sent: Partial<Pick<Scheduler, 'sent' | 'rateLimited' | 'waitedMs'>>;
  readonly probes: number;
  readonly settings?: Pick<Settings, 'profile' | 'maxTimeMs'>;
}): Pace {
  const service = openService({ transport: inProcess(() => ({})), clock: run.clock });
  const options = resolveOptions({ ...{ service, rules: [], target: '' }, ...run.settings });
  Object.assign(service.scheduler, run.sent);
  return new Pace(options, service.scheduler, { rules: [], probes: Array(run.probes) });
}

describe('a slow service', () => {
  const random = createRandom(1);
  test.each<[what: string, delayMs: number, sheds?: Sheds]>([
    ['1 s per reply', 1_000],
    ['0.7 s per reply, one in five shed with 500 at random', 700, () => random() < 0.2],
    ['0.5 s per reply, 500 beyond four concurrent requests', 500, (inFlight) => inFlight > 4],
  ])(
    '%s -> every rule is judged within the default budget',
    { timeout: 60_000 },
    async (_, delayMs, sheds) => {
      const { report, started } = await judgeSlow(delayMs, sheds);
      const unjudged = report.rules.filter(({ outcome }) => outcome === 'could-not-run');
      expect(unjudged.map(({ id, why }) => `${id}: ${why}`)).toEqual([]);
      expect(report.durationMs).toBeLessThanOrEqual(600_000);
      expect(started?.expectedMs).toBeGreaterThan(200_000);
      expect(report.breadth?.least).toBeLessThan(0.9);
      expect(report.breadth?.why).toMatch(/^replies take /);
      expect(started?.slowdown?.quickMs).toBeLessThan(100_000);
      expect(report.pairs?.requested).toBeGreaterThan(0);
      expect(report.verdict, report.reason).toBe('conforming');
    },
  );

  test('2.5 s per reply, and a limit of a minute -> fewer pairs, with the reason', async () => {
    const { report, started } = await judgeSlow(2_500, undefined, { maxTimeMs: 60_000 });
    expect(started?.slowdown?.why).toBe('replies take 2.5 s');
    expect(report.breadth?.why).toBe('replies take 2.5 s');
    expect(report.durationMs).toBeLessThan(62_000);
    // Discovering all pairs would exceed the run's time limit.
    expect(started?.expectedMs).toBeGreaterThan(20_000);
    expect(started?.expectedMs).toBeLessThan(60_000);
  });

  test('429 beyond one request per second -> the reason for the early end counts these replies', async () => {
    let [second, used] = [-1, 0];
    const clock = createFakeClock();
    const { get } = modelSession();
    const service: Service = async (url) => {
      const now = Math.floor(clock.now() / 1000);
      if (now > second) [second, used] = [now, 0];
      if (++used > 1) return { status: 429, headers: { 'retry-after': '1' } };
      const query = [...url.searchParams].filter(([name]) => name !== 'apiKey');
      const { outcome } = await get({ path: url.pathname, query });
      return outcome.kind === 'reply' ? { body: outcome.text, status: outcome.status } : {};
    };
    const { report, events } = await judgeService(service, {
      ...{ apiKey: 'own', generator, clock, maxTimeMs: 60_000 },
    });
    expect(report.notJudged.map(({ why }) => why).join('\n')).toMatch(
      /the budget of 60 s is spent, \d+ s of it on waits after \d+ replies that limit the rate: pass a larger --max-time, or --profile quick/,
    );
    expect(report.breadth?.why).toMatch(/^the service limited the rate of \d+ of \d+ requests$/);
    for (const event of events) {
      if (event.type !== 'progress' || event.progress.leftMs === undefined) continue;
      const { leftMs, elapsedMs } = event.progress;
      expect(leftMs + elapsedMs).toBeLessThanOrEqual(60_000);
    }
  });

  test.each([
    ['3 ms each', 3_000, 0, 1],
    ['1 s each, eight at once', 125_000, 0, 0.63],
    ['2 s each, eight at once, with half of the probes left', 250_000, 50, 0.47],
  ])('%s for the first thousand requests -> the breadth', (_, now, probesDone, expected) => {
    let at = 0;
    const clock = { now: () => at, after: () => () => undefined };
    const pace = paceOf({ clock, sent: { sent: 1_300, rateLimited: 300 }, probes: 100 });
    at = now;
    pace.probesDone = probesDone;
    expect(pace.breadth()).toBeCloseTo(expected, 2);
  });

  test.each([
    [
      'standard',
      5,
      11,
      40_000,
      /the rate of 11 of 211 requests: pass a larger --max-time, or --profile/,
    ],
    ['quick', 5, 11, 40_000, /the rate of 11 of 211 requests: pass a larger --max-time$/],
    ['standard', 1_600, 11, 40_000, /^the budget of 60 s is spent, since replies take 1.6 s: pass/],
    ['standard', 5, 0, 40_000, /^the budget of 60 s is spent, since replies take 5 ms: pass/],
  ] as const)(
    'profile %s, replies after %i ms, %i with 429 -> why the time is spent',
    (profile, replyMs, rateLimited, now, expected) => {
      let at = 0;
      const clock = { now: () => at, after: () => () => undefined };
      const scheduler = { sent: 200 + rateLimited, rateLimited, waitedMs: 500 } as Scheduler;
      const service = { client: { clock } };
      const options = { service, rules: [], profile, maxTimeMs: 60_000 };
      const pace = new Pace(resolveOptions(options as never), scheduler, {
        rules: [],
        probes: Array(1),
      });
      at = now;
      pace.add('swap', replyMs);
      expect(pace.describeSpentBudget()).toMatch(expected);
      pace.probesDone = 1;
      expect(pace.describeSpentBudget()).toBe('the budget of 60 s is spent');
    },
  );
});
