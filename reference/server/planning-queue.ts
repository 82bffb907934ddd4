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
};

type Waiting = {
  readonly since: number;
  readonly start: () => void;
  readonly shed: () => void;
  readonly isAbandoned: () => boolean;
  readonly abandon: () => void;
};

/** How long jobs may run before requests that came meanwhile are read. */
const SLICE_MS = 2;

/**
 * Returns a queue that sheds instead of growing. Planning is synchronous, so
 * jobs run in slices between which the event loop reads new requests: one that
 * finds the queue full is refused at once rather than late. A job is shed when
 *
 * - `maxQueued` wait already,
 * - those before it are expected to take longer than `maxWaitMs`,
 *   by a moving average of what jobs took, or
 * - it waited longer than that all the same.
 *
 * So what is served waited at most `maxWaitMs`, and the queue is empty that
 * long after the last request of a burst. `clock` tells milliseconds that never
 * go back.
 */
export function createPlanningQueue(
  {
    maxQueued = DEFAULT_LIMITS.maxQueued,
    maxWaitMs = DEFAULT_LIMITS.maxWaitMs,
  }: PlanningLimits = {},
  clock: () => number = () => performance.now(),
): PlanningQueue {
  const queue: Waiting[] = [];
  let averageMs = 0;
  let isRunning = false;

  function runSlice(): void {
    const sliceStart = clock();
    let now = sliceStart;
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (next.isAbandoned()) next.abandon();
      else if (now - next.since > maxWaitMs) next.shed();
      else {
        next.start();
        const ended = clock();
        averageMs += (ended - now - averageMs) / 8;
        now = ended;
      }
      if (now - sliceStart >= SLICE_MS) break;
    }
    isRunning = queue.length > 0;
    if (isRunning) setImmediate(runSlice);
  }

  return {
    run: (job, isAbandoned) =>
      new Promise((resolve, reject) => {
        const shed = () =>
          resolve({ kind: 'shed', retryAfterMs: Math.ceil(averageMs * queue.length) });
        if (queue.length >= maxQueued || averageMs * queue.length > maxWaitMs) {
          shed();
          return;
        }
        const start = () => {
          try {
            resolve({ kind: 'done', value: job() });
          } catch (error) {
            reject(error);
          }
        };
        const abandon = () => resolve({ kind: 'abandoned' });
        queue.push({ since: clock(), start, shed, isAbandoned, abandon });
        if (!isRunning) setImmediate(runSlice);
        isRunning = true;
      }),
  };
}
