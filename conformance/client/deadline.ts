import type { Clock } from './clock.ts';

/** Ends an exchange that takes too long. */
export type Deadline = ReturnType<typeof createDeadline>;

const MIN_STALL_MS = 500;

/**
 * Returns a deadline that passes after the given number of milliseconds. Unlike
 * `AbortSignal.timeout`, the deadline ignores time during which this process was stalled.
 */
export function createDeadline(timeoutMs: number, outer: AbortSignal, clock: Clock) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let passed = false;
  let cancel: () => void;
  const start = (dueMs: number) => {
    const startedAt = clock.now();
    cancel = clock.after(dueMs, () => {
      const lateMs = clock.now() - startedAt - dueMs;
      // Bytes that arrived during the stall may still be unread.
      if (lateMs >= MIN_STALL_MS) return start(Math.min(lateMs, timeoutMs));
      passed = true;
      abort();
    });
  };
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  start(timeoutMs);
  return {
    /** Aborts at the deadline, or with the given signal. */
    signal: controller.signal as AbortSignal,
    /** Returns true if the deadline caused the abort, and false if the given signal did. */
    passed: () => passed,
    clear: () => {
      cancel();
      outer.removeEventListener('abort', abort);
    },
  };
}
