/**
 * Gives an operation up that has stopped answering, so that a run does not wait
 * out a time-out for every request to it. Times are milliseconds of one clock.
 */
export type CircuitBreaker = {
  /** Why nothing more is to be sent to a path; undefined while something is. */
  readonly openReason: (path: string) => string | undefined;
  /** Gives a path up for a reason of the caller's. */
  readonly open: (path: string, why: string) => void;
  readonly answered: (path: string) => void;
  readonly unanswered: (path: string, startedAt: number, now: number) => void;
};

/** An operation that did not answer this many requests in a row is asked no more. */
const MAX_UNANSWERED = 5;

/** A breaker that lets everything pass. */
export function createCircuitBreaker(): CircuitBreaker {
  const reasons = new Map<string, string>();
  const inRow = new Map<string, { readonly times: number; readonly foundAt: number }>();
  return {
    openReason: (path) =>
      (inRow.get(path)?.times ?? 0) >= MAX_UNANSWERED
        ? `${path} did not answer ${MAX_UNANSWERED} requests in a row`
        : reasons.get(path),
    open: (path, why) => void reasons.set(path, why),
    answered: (path) => void inRow.delete(path),
    unanswered: (path, startedAt, now) => {
      const { times, foundAt } = inRow.get(path) ?? { times: 0, foundAt: 0 };
      // Requests that were under way together when the service paused count once.
      if (startedAt >= foundAt) inRow.set(path, { times: times + 1, foundAt: now });
    },
  };
}
