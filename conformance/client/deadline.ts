import type { Clock } from './clock.ts';

/** Ends an exchange that takes too long. */
export type Deadline = {
  /** Aborts at the deadline, and with the signal that was given. */
  readonly signal: AbortSignal;
  /** Whether it was the deadline that aborted. */
  readonly passed: () => boolean;
  /** Time spent waiting for our own gate is not the service's. */
  readonly pauseWhile: (wait: Promise<void>) => Promise<void>;
  readonly clear: () => void;
};

/** A timer that fires so late tells that this process was kept from its work, by itself or by others. */
const STALL_MS = 500;

/** A deadline so many milliseconds from now. Time in which this process stood still does not count. */
export function createDeadline(timeoutMs: number, outer: AbortSignal, clock: Clock): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let passed = false;
  let leftMs = timeoutMs;
  let startedAt = 0;
  let callOff: () => void;
  const start = () => {
    startedAt = clock.now();
    const dueMs = Math.max(0, leftMs);
    callOff = clock.after(dueMs, () => {
      const lateMs = clock.now() - startedAt - dueMs;
      if (lateMs < STALL_MS) {
        passed = true;
        abort();
      } else {
        // What came meanwhile is yet to be read.
        leftMs = Math.min(lateMs, timeoutMs);
        start();
      }
    });
  };
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  start();
  return {
    signal: controller.signal,
    passed: () => passed,
    pauseWhile: async (wait) => {
      callOff();
      leftMs -= clock.now() - startedAt;
      await wait;
      start();
    },
    clear: () => {
      callOff();
      outer.removeEventListener('abort', abort);
    },
  };
}
