/** Time as waits are counted: the machine's, or one that a test moves on. */
export type Clock = {
  /** Milliseconds since some moment; never goes back. */
  readonly now: () => number;
  /** Calls back once, so many milliseconds from now; 0 is after the work at hand. Returns what calls it off. */
  readonly after: (ms: number, callBack: () => void) => () => void;
};

/** The machine's own time. */
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

/** Resolves so many milliseconds from now, or as soon as the signal aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      callOff();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const callOff = clock.after(ms, wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
