import type { Clock } from './clock.ts';

/**
 * Returns a clock that stands still while there is work to do, and then jumps to the next callback.
 * Hours of waiting pass at once, and callbacks run in order.
 */
export function createFakeClock(): Clock {
  const due = new Set<{ readonly time: number; readonly callBack: () => void }>();
  let now = 0;
  let isScheduled = false;
  const scheduleNext = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const [next] = [...due].sort((one, other) => one.time - other.time);
      if (next === undefined) return;
      due.delete(next);
      now = Math.max(now, next.time);
      next.callBack();
      scheduleNext();
    });
  };
  return {
    now: () => now,
    after: (ms, callBack) => {
      const call = { time: now + ms, callBack };
      due.add(call);
      scheduleNext();
      return () => void due.delete(call);
    },
  };
}
