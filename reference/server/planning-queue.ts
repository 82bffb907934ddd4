import { RequestError } from './errors.ts';

/** Maximum number of plans in progress, enough that the planning thread always has a next trade. */
export const MAX_RUNNING = 8;

/** Runs jobs in order of arrival. */
export type PlanningQueue = {
  /** @throws {RequestError} if no further job fits */
  readonly checkRoom: () => void;
  /**
   * Runs `job` in its turn, and resolves to its result.
   * @throws {RequestError} if the job does not fit, or is abandoned before its turn
   */
  readonly run: <Value>(
    job: () => Value | Promise<Value>,
    isAbandoned: () => boolean,
  ) => Promise<Value>;
};

/** If `start` returns no promise, the job has ended. */
type Waiting = { readonly start: () => unknown; readonly isAbandoned: () => boolean };

/**
 * Returns a queue in which up to `maxWaiting` jobs wait. The queue rejects any further job
 * immediately. It does not count jobs whose client has disconnected. After a job that blocks this
 * thread, the queue yields to the event loop, so that the service can read requests and send
 * replies. A client that waits for each reply before its next request is never rejected because of
 * its own requests, even if a plan takes long.
 */
export function createPlanningQueue(maxWaiting: number): PlanningQueue {
  let queue: Waiting[] = [];
  let running = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || queue.length === 0 || running >= MAX_RUNNING) return;
    isScheduled = true;
    setImmediate(startJobs);
  }

  function startJobs(): void {
    isScheduled = false;
    while (running < MAX_RUNNING) {
      const started = queue.shift()?.start();
      if (!(started instanceof Promise)) break;
      running += 1;
      void started.finally(() => {
        running -= 1;
        schedule();
      });
    }
    schedule();
  }

  const checkRoom = (): void => {
    if (queue.length < maxWaiting) return;
    const abandoned = queue.filter(({ isAbandoned }) => isAbandoned());
    queue = queue.filter((job) => !abandoned.includes(job));
    for (const { start } of abandoned) start();
    if (queue.length >= maxWaiting) throw overloaded();
  };

  return {
    checkRoom,
    run: (job, isAbandoned) =>
      new Promise((resolve, reject) => {
        checkRoom();
        const start = () => {
          try {
            if (isAbandoned()) throw overloaded();
            const result = job();
            if (!(result instanceof Promise)) return resolve(result);
            return result.then(resolve, reject);
          } catch (error) {
            return reject(error);
          }
        };
        queue.push({ start, isAbandoned });
        schedule();
      }),
  };
}

function overloaded(): RequestError {
  const message = 'Too many trades are waiting to be planned: try again later.';
  const details = { retryAfterMs: 1000 };
  return new RequestError('OVERLOADED', message, { details, headers: { 'Retry-After': '1' } });
}
