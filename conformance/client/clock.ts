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
