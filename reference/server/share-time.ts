import { paceRefusals } from './pace-refusals.ts';

/** Jobs that want the process's time. */
type Jobs = {
  /** Runs jobs for so long, and returns how many. */
  readonly runSlice: (sliceMs: number) => number;
  readonly isWaiting: () => boolean;
  /** Tells milliseconds that never go back. */
  readonly clock: () => number;
};

/** How long jobs run at least before requests that came meanwhile are read. */
const MIN_SLICE_MS = 2;

/** How long they run at most: a lookup waits no longer for them. */
const MAX_SLICE_MS = 50;

/** How long requests are read between slices while connections come. */
const READING_MS = 4;

/**
 * Shares the one thread of a process between jobs and requests. A client that
 * is refused asks again, and reading and refusing cost time too: served without
 * bound they would leave none for jobs. So
 *
 * - between two slices of jobs the event loop turns twice, and again while
 *   connections come, for 4 ms at most: a turn accepts only one connection, and
 *   its request is read in the next;
 * - a slice is as long as what was spent on requests that no job led to, from
 *   2 to 50 ms, so that jobs have half of the time whatever comes;
 * - refusals that would take more than a tenth of the time wait, and whoever
 *   waits for one sends nothing meanwhile.
 */
export function shareTime({ runSlice, isWaiting, clock }: Jobs) {
  const refusals = paceRefusals();
  let isRunning = false;
  let jobMs = 0;
  /** Jobs of the last slice. */
  let done = 0;
  /** When the last slice ended, or the first job of the next came. */
  let leftAt = 0;
  /** When the first turn after that was over, in which replies were sent. */
  let readingSince: number | undefined;
  let requests = 0;
  /** Whether the turn read a request of a connection that is new. */
  let hasMet = false;

  function turn(): void {
    const now = clock();
    const isReading = readingSince === undefined || (hasMet && now - readingSince < READING_MS);
    readingSince ??= now;
    hasMet = false;
    if (isReading) setImmediate(turn);
    else endTurn(now - leftAt);
  }

  function endTurn(awayMs: number): void {
    const forOthersMs = awayMs - done * refusals.exchangeMs();
    done = runSlice(Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, forOthersMs)));
    const endedAt = clock();
    const turnMs = endedAt - leftAt;
    if (done > 0) jobMs += (turnMs / done - jobMs) * Math.min(1, done / 8);
    refusals.answer({ awayMs, requests, turnMs, isPlanning: isWaiting() });
    requests = 0;
    leftAt = endedAt;
    readingSince = undefined;
    isRunning = isWaiting() || refusals.isWaiting();
    if (isRunning) setImmediate(turn);
  }

  return {
    /** To be called when a job or a refusal waits. */
    wake() {
      if (isRunning) return;
      isRunning = true;
      leftAt = clock();
      done = 0;
      setImmediate(turn);
    },
    /** To be called for every request that the process reads, whether it wants a job or not. */
    countRequest(isFirstOfConnection: boolean) {
      requests += 1;
      hasMet ||= isFirstOfConnection;
    },
    /** Refuses when there is time for it. */
    refuse: refusals.add,
    /** Whether refusals wait. */
    isRefusing: refusals.isWaiting,
    /** What a job takes of late, the requests and replies between jobs included. */
    jobMs: () => jobMs,
  };
}
