import { describe, expect, test } from 'vitest';
import { createPlanningQueue } from './planning-queue.ts';

const present = () => false;
const busy = (ms: number) => () => {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

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
    const queue = createPlanningQueue({ maxWaitMs: 40 });
    for (let i = 0; i < 20; i++) await queue.run(busy(10), present);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => queue.run(busy(10), present)),
    );
    const shed = outcomes.filter((outcome) => outcome.kind === 'shed');
    expect(shed.length).toBeGreaterThanOrEqual(5);
    expect(outcomes[0]?.kind).toBe('done');
    expect(shed.at(-1)?.retryAfterMs).toBeGreaterThan(10);
  });

  test('waited longer than maxWaitMs all the same -> shed when its turn comes', async () => {
    const queue = createPlanningQueue({ maxWaitMs: 20 });
    const first = queue.run(busy(60), present);
    const late = queue.run(busy(1), present);
    expect(await Promise.all([first, late])).toMatchObject([{ kind: 'done' }, { kind: 'shed' }]);
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
    const queue = createPlanningQueue();
    let done = 0;
    const jobs = Array.from({ length: 3 }, () => queue.run(busy(5), present).then(() => ++done));
    await turn();
    await turn();
    expect(done).toBeLessThan(3);
    await Promise.all(jobs);
  });
});
