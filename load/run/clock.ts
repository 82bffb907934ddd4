import { performance } from 'node:perf_hooks';

/** Time as the engine knows it: the machine's, or one that a test moves on. */
export type Clock = {
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Calls back once, so many milliseconds from now; 0 is after the work at hand. Returns what calls it off. */
  readonly after: (ms: number, callBack: () => void) => () => void;
  /** Calls back again and again. Returns what calls it off. */
  readonly every: (ms: number, callBack: () => void) => () => void;
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
  every(ms, callBack) {
    const timer = setInterval(callBack, ms);
    return () => clearInterval(timer);
  },
};
