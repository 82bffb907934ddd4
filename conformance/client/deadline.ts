import type { Clock } from './clock.ts';

/** Ends an exchange that takes too long. */
export type Deadline = ReturnType<typeof createDeadline>;

/** Delay of a timer from which this process counts as stalled. */
const STALL_MS = 500;

/** Returns a deadline the given milliseconds from now. Time in which this process was stalled does not count. */
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
        // Bytes that arrived in the meantime are still unread.
        leftMs = Math.min(lateMs, timeoutMs);
        start();
      }
    });
  };
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  start();
  return {
    /** Aborts at the deadline, or with the given signal. */
    signal: controller.signal as AbortSignal,
    /** Whether the deadline aborted, rather than the given signal. */
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
