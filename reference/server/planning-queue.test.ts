import { describe, expect, test } from 'vitest';
import { RequestError } from './errors.ts';
import { createPlanningQueue } from './planning-queue.ts';

const isWaiting = () => false;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const outcomeOf = (promise: Promise<unknown>) =>
  promise.catch((error: unknown) =>
    error instanceof RequestError ? error.body.error : `${error}`,
  );

describe('createPlanningQueue', () => {
  test('jobs -> run in order of arrival, none of them before `run` returns', async () => {
    const queue = createPlanningQueue(3);
    const ran: number[] = [];
    const results = [1, 2, 3].map((n) => queue.run(() => ran.push(n), isWaiting));
    expect(ran).toEqual([]);
    expect(await Promise.all(results)).toEqual([1, 2, 3]);
    expect(ran).toEqual([1, 2, 3]);
  });

  test('a job that throws -> its own error, and the next job runs', async () => {
    const queue = createPlanningQueue(2);
    const failing = queue.run(() => {
      throw new TypeError('boom');
    }, isWaiting);
    const next = queue.run(() => 'next', isWaiting);
    await expect(failing).rejects.toThrow('boom');
    expect(await next).toBe('next');
  });

  test('more jobs than fit -> the rest is rejected immediately, and later jobs fit again', async () => {
    const queue = createPlanningQueue(2);
    const ran: number[] = [];
    const outcomes = [1, 2, 3, 4].map((n) => outcomeOf(queue.run(() => ran.push(n), isWaiting)));
    expect(await Promise.race([outcomes[3], nextTurn()])).toBe('OVERLOADED');
    expect(await Promise.all(outcomes)).toEqual([1, 2, 'OVERLOADED', 'OVERLOADED']);
    expect(await queue.run(() => ran.length, isWaiting)).toBe(2);
  });

  test('a rejection -> states when to retry', async () => {
    const queue = createPlanningQueue(0);
    const error = await queue.run(() => 1, isWaiting).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ body: { error: 'OVERLOADED' }, headers: { 'Retry-After': '1' } });
    expect(() => queue.checkRoom()).toThrow(RequestError);
  });

  test('one request at a time, even if each plan takes long -> never rejected', async () => {
    const queue = createPlanningQueue(1);
    for (let n = 0; n < 3; n++) {
      const end = performance.now() + 120;
      const plan = () => {
        while (performance.now() < end);
        return n;
      };
      expect(await queue.run(plan, isWaiting)).toBe(n);
    }
  });

  test('clients that disconnected -> their jobs never run and leave room for others', async () => {
    const queue = createPlanningQueue(2);
    const ran: string[] = [];
    const gone = [1, 2].map((n) =>
      outcomeOf(
        queue.run(
          () => ran.push(`gone ${n}`),
          () => true,
        ),
      ),
    );
    await queue.run(() => ran.push('waiting'), isWaiting);
    expect(ran).toEqual(['waiting']);
    expect(await Promise.all(gone)).toEqual(['OVERLOADED', 'OVERLOADED']);
  });

  test('many jobs -> other work runs between them', async () => {
    const queue = createPlanningQueue(100);
    let done = 0;
    const plan = () => {
      const end = performance.now() + 20;
      while (performance.now() < end);
      done += 1;
    };
    const all = Array.from({ length: 10 }, () => queue.run(plan, isWaiting));
    await nextTurn();
    await nextTurn();
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(10);
    await Promise.all(all);
  });
});
