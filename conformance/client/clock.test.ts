import { describe, expect, test } from 'vitest';
import { type Clock, createDeadline } from './clock.ts';

function clockWithLateCallbacks() {
  let now = 0;
  const calls = new Set<{ readonly time: number; readonly callBack: () => void }>();
  const clock: Clock = {
    now: () => now,
    after: (ms, callBack) => {
      const call = { time: now + ms, callBack };
      calls.add(call);
      return () => void calls.delete(call);
    },
  };
  const standStillUntil = (time: number) => {
    now = time;
    for (const call of [...calls].filter((each) => each.time <= now)) {
      calls.delete(call);
      call.callBack();
    }
  };
  return { clock, standStillUntil };
}

const never = new AbortController().signal;

describe('createDeadline', () => {
  test('a timer that fires on time or a little late -> aborts then, and not earlier', () => {
    for (const lateMs of [0, 499]) {
      const { clock, standStillUntil } = clockWithLateCallbacks();
      const deadline = createDeadline(1_000, never, clock);
      standStillUntil(999);
      expect(deadline.signal.aborted).toBe(false);
      standStillUntil(1_000 + lateMs);
      expect([deadline.signal.aborted, deadline.passed()]).toEqual([true, true]);
    }
  });

  test('our process stalls past the deadline -> extra time to read bytes, equal to the delay', () => {
    const { clock, standStillUntil } = clockWithLateCallbacks();
    const deadline = createDeadline(1_000, never, clock);
    standStillUntil(1_700);
    expect(deadline.signal.aborted).toBe(false);
    standStillUntil(2_399);
    expect(deadline.signal.aborted).toBe(false);
    standStillUntil(2_400);
    expect(deadline.passed()).toBe(true);
  });

  test('the outer signal -> aborts before the deadline', () => {
    const { clock, standStillUntil } = clockWithLateCallbacks();
    const outer = new AbortController();
    const deadline = createDeadline(1_000, outer.signal, clock);
    outer.abort();
    expect([deadline.signal.aborted, deadline.passed()]).toEqual([true, false]);
    expect(createDeadline(1_000, outer.signal, clock).signal.aborted).toBe(true);
    deadline.clear();
    standStillUntil(1_000);
    expect(deadline.passed()).toBe(false);
  });
});
