import type { Clock } from './clock.ts';

/** Ends an exchange that takes too long. */
export type Deadline = ReturnType<typeof createDeadline>;

/** A timer that fires so late tells that this process was kept from its work, by itself or by others. */
const STALL_MS = 500;

/** A deadline so many milliseconds from now. Time in which this process stood still does not count. */
export function createDeadline(timeoutMs: number, outer: AbortSignal, clock: Clock) {
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
    /** Aborts at the deadline, and with the signal that was given. */
    signal: controller.signal as AbortSignal,
    /** Whether it was the deadline that aborted. */
    passed: () => passed,
    /** Time spent waiting for our own gate is not the service's. */
    pauseWhile: async (wait: Promise<void>) => {
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
