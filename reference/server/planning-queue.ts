import { RequestError } from './errors.ts';

/**
 * Maximum milliseconds of planning before new requests are read. Node accepts one connection per
 * turn of its event loop, so a long slice would keep new clients waiting.
 */
const SLICE_MS = 5;

/** Runs jobs one after another, in order of arrival. */
export type PlanningQueue = {
  /** @throws {RequestError} if no further job fits */
  readonly checkRoom: () => void;
  /**
   * Resolves to the result of `job`, in its turn, unless the job has been abandoned.
   *
   * @throws {RequestError} if the job does not fit, or is abandoned before its turn
   */
  readonly run: <Value>(job: () => Value, isAbandoned: () => boolean) => Promise<Value>;
};

/** The job is rejected if it is abandoned. */
type Waiting = { readonly run: () => void; readonly isAbandoned: () => boolean };

/**
 * Returns a queue in which up to `maxWaiting` jobs wait; any further job is rejected immediately.
 * Planning is synchronous, so jobs run in slices between which the event loop reads requests and
 * sends replies. Jobs whose client has disconnected do not count. A client that waits for each
 * reply before it sends the next request is never rejected because of its own requests, however
 * long a plan takes.
 */
export function createPlanningQueue(maxWaiting: number): PlanningQueue {
  let queue: Waiting[] = [];
  let isScheduled = false;

  function runSlice(): void {
    const end = performance.now() + SLICE_MS;
    for (let next = queue.shift(); next; next = queue.shift()) {
      next.run();
      if (performance.now() >= end) break;
    }
    isScheduled = queue.length > 0;
    if (isScheduled) setImmediate(runSlice);
  }

  const checkRoom = (): void => {
    if (queue.length < maxWaiting) return;
    const abandoned = queue.filter(({ isAbandoned }) => isAbandoned());
    queue = queue.filter((job) => !abandoned.includes(job));
    for (const { run } of abandoned) run();
    if (queue.length >= maxWaiting) throw overloaded();
  };

  return {
    checkRoom,
    run: (job, isAbandoned) =>
      new Promise((resolve, reject) => {
        checkRoom();
        const run = () => {
          try {
            if (isAbandoned()) throw overloaded();
            resolve(job());
          } catch (error) {
            reject(error);
          }
        };
        queue.push({ run, isAbandoned });
        if (!isScheduled) setImmediate(runSlice);
        isScheduled = true;
      }),
  };
}

function overloaded(): RequestError {
  const message = 'Too many trades are waiting to be planned: try again later.';
  return new RequestError('OVERLOADED', message, {
    details: { retryAfterMs: 1000 },
    retryAfterS: 1,
  });
}
