import { shareTime } from './share-time.ts';

/** Bounds of the queue; unset, those of {@link DEFAULT_LIMITS}. */
export type PlanningLimits = {
  readonly maxQueued?: number;
  readonly maxWaitMs?: number;
};

/** How many may wait, and how long. */
export const DEFAULT_LIMITS = { maxQueued: 256, maxWaitMs: 500 } satisfies PlanningLimits;

/** A job that ran, or why it did not. */
export type JobOutcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /** Too many wait: ask again after `retryAfterMs`. */
  | { readonly kind: 'shed'; readonly retryAfterMs: number }
  /** The asker left before its turn. */
  | { readonly kind: 'abandoned' };

/** Runs jobs one after another, in the order in which they came. */
export type PlanningQueue = {
  /** Rejects with what `job` throws. `isAbandoned` is asked when the turn comes. */
  readonly run: <Value>(job: () => Value, isAbandoned: () => boolean) => Promise<JobOutcome<Value>>;
  /**
   * Refuses a request in its turn, if the queue is full and refusals wait
   * already; returns whether it does. Reading what it asks would be in vain.
   */
  readonly refuseEarly: (
    refuse: (retryAfterMs: number) => void,
    isAbandoned: () => boolean,
  ) => boolean;
  /** To be called for every request that the process reads, whether it wants a job or not. */
  readonly countRequest: (isFirstOfConnection: boolean) => void;
  /** How many jobs wait. */
  readonly length: () => number;
};

type Waiting = {
  readonly since: number;
  readonly start: () => void;
  readonly shed: () => void;
  readonly isAbandoned: () => boolean;
  readonly abandon: () => void;
};

/**
 * Returns a queue that sheds instead of growing. Planning is synchronous, so
 * jobs run in slices between which the event loop reads new requests. A job is
 * shed when
 *
 * - `maxQueued` wait already,
 * - those before it are expected to take longer than `maxWaitMs`,
 *   by a moving average of what jobs took, replies between them included, or
 * - it waited longer than that all the same.
 *
 * So what is served waited at most `maxWaitMs`, and the queue is empty that
 * long after the last request of a burst. A refusal waits where it would take
 * time from planning: see {@link shareTime}. `clock` tells milliseconds that
 * never go back.
 */
export function createPlanningQueue(
  {
    maxQueued = DEFAULT_LIMITS.maxQueued,
    maxWaitMs = DEFAULT_LIMITS.maxWaitMs,
  }: PlanningLimits = {},
  clock: () => number = () => performance.now(),
): PlanningQueue {
  const queue: Waiting[] = [];

  function runSlice(sliceMs: number): number {
    const startedAt = clock();
    let now = startedAt;
    let done = 0;
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (next.isAbandoned()) next.abandon();
      else if (now - next.since > maxWaitMs) time.refuse(next);
      else {
        next.start();
        now = clock();
        done += 1;
      }
      if (now - startedAt >= sliceMs) break;
    }
    return done;
  }
  const time = shareTime({ runSlice, isWaiting: () => queue.length > 0, clock });

  const waitMs = () => time.jobMs() * queue.length;
  const isFull = () => queue.length >= maxQueued || waitMs() > maxWaitMs;

  return {
    countRequest: time.countRequest,
    length: () => queue.length,
    refuseEarly(refuse, isAbandoned) {
      if (!isFull() || !time.isRefusing()) return false;
      time.refuse({ shed: () => refuse(Math.ceil(waitMs())), isAbandoned, abandon: () => {} });
      return true;
    },
    run: (job, isAbandoned) =>
      new Promise((resolve, reject) => {
        const shed = () => resolve({ kind: 'shed', retryAfterMs: Math.ceil(waitMs()) });
        const start = () => {
          try {
            resolve({ kind: 'done', value: job() });
          } catch (error) {
            reject(error);
          }
        };
        const abandon = () => resolve({ kind: 'abandoned' });
        const waiting = { since: clock(), start, shed, isAbandoned, abandon };
        if (isFull()) time.refuse(waiting);
        else queue.push(waiting);
        time.wake();
      }),
  };
}
