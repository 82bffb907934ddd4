/** An operation that did not answer this many requests in a row is asked no more. */
const MAX_UNANSWERED = 5;

/**
 * Gives an operation up that has stopped answering, so that a run does not wait
 * out a time-out for every request to it; lets everything pass at first. Times
 * are milliseconds of one clock.
 */
export function createCircuitBreaker() {
  const reasons = new Map<string, string>();
  const inRow = new Map<string, { readonly times: number; readonly foundAt: number }>();
  return {
    /** Why nothing more is to be sent to a path; undefined while something is. */
    openReason: (path: string): string | undefined =>
      (inRow.get(path)?.times ?? 0) >= MAX_UNANSWERED
        ? `${path} did not answer ${MAX_UNANSWERED} requests in a row`
        : reasons.get(path),
    /** Gives a path up for a reason of the caller's. */
    open: (path: string, why: string) => void reasons.set(path, why),
    answered: (path: string) => void inRow.delete(path),
    unanswered: (path: string, startedAt: number, now: number): void => {
      const { times, foundAt } = inRow.get(path) ?? { times: 0, foundAt: 0 };
      // Requests that were under way together when the service paused count once.
      if (startedAt >= foundAt) inRow.set(path, { times: times + 1, foundAt: now });
    },
  };
}
