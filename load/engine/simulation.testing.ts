import { setImmediate } from 'node:timers/promises';
import type { RunResult } from './client-order.ts';
import type { Connect, Connection } from './connection.ts';
import { run, type TestRun } from './engine.testing.ts';
import type { EngineClock } from './open-model.ts';

/** A clock that only {@link Simulation.run} advances, from one callback to the next. */
export type Simulation = {
  readonly clock: EngineClock;
  /** Advances the time without callbacks, as a busy process would. */
  readonly sleep: (ms: number) => void;
  /** Advances the time until the promise is settled. */
  readonly run: <Value>(promise: Promise<Value>) => Promise<Value>;
};

/** Returns a clock at 0. Callbacks without a delay run 100 us later. */
export function createSimulation(): Simulation {
  const queue: CallBack[] = [];
  let nowMs = 0;
  let made = 0;
  const after = (ms: number, callBack: () => void): (() => void) => {
    made += 1;
    const entry = { atMs: nowMs + Math.max(ms, WORK_MS), order: made, callBack, isOff: false };
    insert(queue, entry);
    return () => {
      entry.isOff = true;
    };
  };
  const every = (ms: number, callBack: () => void): (() => void) => {
    let callOff = (): void => {};
    const again = (): void => {
      callOff = after(ms, again);
      callBack();
    };
    callOff = after(ms, again);
    return () => callOff();
  };
  const sleep = (ms: number): void => {
    nowMs += ms;
  };
  return {
    clock: { now: () => nowMs, after, every, hold: sleep },
    sleep,
    async run(promise) {
      let isSettled = false;
      const settle = (): void => {
        isSettled = true;
      };
      promise.then(settle, settle);
      // Pending promises are settled between two callbacks.
      for (await setImmediate(); !isSettled; await setImmediate()) {
        const next = queue.pop();
        if (next === undefined) {
          throw new Error('no callback is left, but the promise is still pending');
        }
        if (next.isOff) continue;
        nowMs = Math.max(nowMs, next.atMs);
        next.callBack();
      }
      return promise;
    },
  };
}

type CallBack = {
  readonly atMs: number;
  readonly order: number;
  readonly callBack: () => void;
  isOff: boolean;
};

/** The queue is in descending order, so that the next callback is its last entry. */
function insert(queue: CallBack[], entry: CallBack): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = queue[middle] as CallBack;
    if (there.atMs > entry.atMs || (there.atMs === entry.atMs && there.order > entry.order)) {
      low = middle + 1;
    } else high = middle;
  }
  queue.splice(low, 0, entry);
}

const WORK_MS = 0.1;

/**
 * Returns how long a simulated service takes for a request at the given time; undefined if it never
 * replies.
 */
export type ServiceTime = (nowMs: number) => number | undefined;

function connectTo({ clock }: Simulation, serviceTime: ServiceTime): Connect {
  return (_origin, count, events) => {
    for (let n = 0; n < count; n++) {
      let callOff = (): void => {};
      const connection: Connection = {
        send() {
          const ms = serviceTime(clock.now());
          if (ms === undefined) return;
          callOff = clock.after(ms, () => {
            events.onReply(connection, 200, undefined);
            events.onFree(connection);
          });
        },
        expire() {
          callOff();
          events.onLoss(connection, 'timeout');
          events.onFree(connection);
        },
      };
      events.onTried();
      events.onFree(connection);
    }
    return () => {};
  };
}

/** Runs the engine against a simulated service. */
export function simulateRun(
  serviceTime: ServiceTime,
  options: Partial<TestRun>,
  simulation = createSimulation(),
): Promise<RunResult> {
  const platform = { clock: simulation.clock, connect: connectTo(simulation, serviceTime) };
  return simulation.run(run(new URL('http://127.0.0.1'), options, platform));
}
