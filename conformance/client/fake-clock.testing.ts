import type { Clock } from './clock.ts';

/**
 * Returns a clock that stands still while there is work to do, and then jumps to the next callback.
 * Hours of waiting pass at once, and callbacks run in order.
 */
export function createFakeClock(): Clock {
  const due = new Set<{ readonly time: number; readonly callBack: () => void }>();
  let now = 0;
  let isGoing = false;
  const goOn = () => {
    if (isGoing) return;
    isGoing = true;
    setImmediate(() => {
      isGoing = false;
      const [next] = [...due].sort((one, other) => one.time - other.time);
      if (next === undefined) return;
      due.delete(next);
      now = Math.max(now, next.time);
      next.callBack();
      goOn();
    });
  };
  return {
    now: () => now,
    after: (ms, callBack) => {
      const call = { time: now + ms, callBack };
      due.add(call);
      goOn();
      return () => void due.delete(call);
    },
  };
}
