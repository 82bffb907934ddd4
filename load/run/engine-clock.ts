import { type Clock, SYSTEM_CLOCK } from '../../conformance/client/clock.ts';

/** A clock that calls back at intervals, too. */
export type EngineClock = Clock & {
  /** Calls back again and again. Returns what calls it off. */
  readonly every: (ms: number, callBack: () => void) => () => void;
  /** Stops this thread for so many milliseconds, fractions included: nothing is called back meanwhile. */
  readonly hold: (ms: number) => void;
};

export const SYSTEM_ENGINE_CLOCK: EngineClock = {
  ...SYSTEM_CLOCK,
  every(ms, callBack) {
    const timer = setInterval(callBack, ms);
    return () => clearInterval(timer);
  },
  hold: (ms) => void Atomics.wait(NEVER_CHANGED, 0, 0, ms),
};

const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));
