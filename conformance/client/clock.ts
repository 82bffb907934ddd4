/** The system's clock, or one that a test advances. */
export type Clock = {
  /** Milliseconds since a fixed moment; never decreases. */
  readonly now: () => number;
  /**
   * Calls `callBack` once, after the given number of milliseconds. With 0, calls it right after the
   * current work. Returns a function that cancels the call.
   */
  readonly after: (ms: number, callBack: () => void) => () => void;
};

/** The system's clock. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, callBack) {
    if (ms === 0) {
      const immediate = setImmediate(callBack);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callBack, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after the given number of milliseconds, or as soon as the signal aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}

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
