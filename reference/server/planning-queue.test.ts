import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPlanningQueue, type PlanningLimits } from './planning-queue.ts';

const present = () => false;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A queue on a clock that stands still but while jobs run. */
function queueOnFakeClock(limits?: PlanningLimits) {
  const time = { now: 0 };
  const queue = createPlanningQueue(limits, () => time.now);
  /** Adds a job that takes so long, and returns when it began, in milliseconds of the clock. */
  const busy = (ms: number) =>
    queue.run(() => {
      const began = time.now;
      time.now += ms;
      return began;
    }, present);
  return { time, queue, busy };
}

/**
 * Adds each job so long after the one before it, and returns how long those that
 * were served had waited, and how long after the last job all were answered.
 */
async function answerAll(
  jobs: readonly { readonly pauseMs: number; readonly jobMs: number }[],
  limits: PlanningLimits,
) {
  const { time, busy } = queueOnFakeClock(limits);
  const waits: number[] = [];
  const pending = new Set<Promise<unknown>>();
  let dueMs = 0;
  for (const { pauseMs, jobMs } of jobs) {
    dueMs += pauseMs;
    // While jobs run the clock goes on by itself; only when none is left is there a pause.
    while (time.now < dueMs && pending.size > 0) await turn();
    time.now = Math.max(time.now, dueMs);
    const since = time.now;
    const answered = busy(jobMs).then((outcome) => {
      pending.delete(answered);
      if (outcome.kind === 'done') waits.push(outcome.value - since);
      else expect(outcome.kind).toBe('shed');
    });
    pending.add(answered);
  }
  const lastAt = time.now;
  await Promise.all(pending);
  return { waits, emptiedMs: time.now - lastAt };
}

/**
 * Lets clients ask again as soon as they are answered, each request and reply
 * of theirs costing 0.05 ms, each plan 0.4 ms. Returns what they were told in 4 s.
 */
async function askWithoutPause(clients: number) {
  const { time, queue, busy } = queueOnFakeClock();
  const told = { done: 0, shed: 0, longestMs: 0 };
  const ask = async (): Promise<void> => {
    while (time.now < 4_000) {
      time.now += 0.05;
      queue.countRequest(false);
      const askedAt = time.now;
      const isRefused = await new Promise<boolean>((resolve) => {
        if (queue.refuseEarly(() => resolve(true), present)) return;
        void busy(0.4).then(({ kind }) => resolve(kind === 'shed'));
      });
      told[isRefused ? 'shed' : 'done'] += 1;
      told.longestMs = Math.max(told.longestMs, time.now - askedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, ask));
  return told;
}

describe('createPlanningQueue', () => {
  test('jobs -> run in the order in which they came', async () => {
    const queue = createPlanningQueue();
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((n) => queue.run(() => order.push(n), present)));
    expect(order).toEqual([1, 2, 3]);
  });

  test('a job -> its value; one that throws -> a rejection, and the next still runs', async () => {
    const queue = createPlanningQueue();
    const broken = queue.run(() => {
      throw new RangeError('no');
    }, present);
    const next = queue.run(() => 7, present);
    await expect(broken).rejects.toThrow(RangeError);
    expect(await next).toEqual({ kind: 'done', value: 7 });
  });

  test('maxQueued waiting -> the next is shed at once, and what waits is served', async () => {
    const queue = createPlanningQueue({ maxQueued: 2 });
    const waiting = [queue.run(() => 1, present), queue.run(() => 2, present)];
    const shed = await queue.run(() => 3, present);
    expect(shed.kind).toBe('shed');
    expect(await Promise.all(waiting)).toMatchObject([{ kind: 'done' }, { kind: 'done' }]);
    expect(await queue.run(() => 4, present)).toEqual({ kind: 'done', value: 4 });
  });

  test('expected to wait longer than maxWaitMs -> shed at once, with how long to wait', async () => {
    const { busy } = queueOnFakeClock({ maxWaitMs: 40 });
    for (let i = 0; i < 50; i++) await busy(10);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => busy(10)));
    // A fifth has 40 ms before it; from the sixth on it would be more.
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      ...Array(5).fill('done'),
      ...Array(7).fill('shed'),
    ]);
    // It is told after the first of the five.
    expect(outcomes.at(-1)).toEqual({ kind: 'shed', retryAfterMs: 40 });
  });

  test('waited longer than maxWaitMs all the same -> shed when its turn comes', async () => {
    const { busy } = queueOnFakeClock({ maxWaitMs: 20 });
    const outcomes = await Promise.all([busy(60), busy(1)]);
    expect(outcomes).toMatchObject([{ kind: 'done' }, { kind: 'shed' }]);
  });

  test('any burst -> what is served waited maxWaitMs at most, and as long after the last all is answered', async () => {
    // Mostly quick, so that a slow one comes unforeseen.
    const anyJobMs = fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
      { weight: 1, arbitrary: fc.integer({ min: 50, max: 90 }) },
    );
    const anyBurst = fc.array(
      fc.record({
        pauseMs: fc.integer({ min: 0, max: 20 }),
        jobMs: anyJobMs,
      }),
      { minLength: 1, maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(anyBurst, async (jobs) => {
        const { waits, emptiedMs } = await answerAll(jobs, { maxWaitMs: 100, maxQueued: 64 });
        expect(waits.length).toBeGreaterThan(0);
        expect(Math.max(...waits)).toBeLessThanOrEqual(100);
        expect(emptiedMs).toBeLessThanOrEqual(100 + 90);
      }),
      { seed: 16 },
    );
  });

  test('twice what can be planned -> half of it is served, and beyond that what the queue holds', async () => {
    const jobs = Array.from({ length: 400 }, () => ({ pauseMs: 5, jobMs: 10 }));
    const { waits } = await answerAll(jobs, { maxWaitMs: 200 });
    expect(waits.length).toBeGreaterThanOrEqual(200);
    expect(waits.length).toBeLessThanOrEqual(200 + 200 / 10 + 1);
  });

  test('clients that ask again at once -> however many, as much is planned, and all are answered', async () => {
    const few = await askWithoutPause(8);
    expect(few.shed).toBe(0);
    for (const clients of [300, 1_500, 4_000]) {
      const many = await askWithoutPause(clients);
      expect(many.done).toBeGreaterThan(0.85 * few.done);
      expect(many.shed).toBeGreaterThan(100);
      expect(many.longestMs).toBeLessThan(clients);
    }
  });

  test('requests that need no plan never cease -> nearly half of the time is for plans', async () => {
    const { time, queue, busy } = queueOnFakeClock();
    let done = 0;
    const ask = async (): Promise<void> => {
      for (; time.now < 4_000; done++) await busy(0.4);
    };
    const lookUp = async (): Promise<void> => {
      for (; time.now < 4_000; await turn()) {
        for (const _ of Array(200)) queue.countRequest(false);
        time.now += 200 * 0.05;
      }
    };
    await Promise.all([lookUp(), ...Array.from({ length: 200 }, ask)]);
    expect(0.4 * done).toBeGreaterThan(0.4 * 4_000);
  });

  test('refusals wait already -> the next waits behind them, unread; else it is not refused early', async () => {
    const { queue, busy } = queueOnFakeClock({ maxQueued: 1 });
    const told: (number | string)[] = [];
    const early = () => queue.refuseEarly((retryAfterMs) => told.push(retryAfterMs), present);
    expect(early()).toBe(false);
    const planned = busy(10);
    const refused = busy(10).then(({ kind }) => told.push(kind));
    expect(early()).toBe(true);
    await Promise.all([planned, refused]);
    expect(told).toEqual([0, 'shed']);
    expect(early()).toBe(false);
  });

  test('connections of which one is accepted a turn -> all are, soon, although jobs wait', async () => {
    const { time, queue, busy } = queueOnFakeClock();
    for (const _ of Array(200)) void busy(5);
    for (let waiting = 200; waiting > 0; waiting--) {
      await turn();
      queue.countRequest(true);
      time.now += 0.05;
    }
    expect(time.now).toBeLessThan(200);
  });

  test('a job whose asker left -> not run', async () => {
    const queue = createPlanningQueue();
    let ran = false;
    const outcome = await queue.run(
      () => {
        ran = true;
      },
      () => true,
    );
    expect([outcome.kind, ran]).toEqual(['abandoned', false]);
  });

  test('long jobs -> the event loop turns between them', async () => {
    const { busy } = queueOnFakeClock();
    let done = 0;
    let turns = 0;
    for (const _ of Array(3)) void busy(5).then(() => ++done);
    for (; done < 3; turns++) await turn();
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
