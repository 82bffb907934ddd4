const MAX_UNANSWERED_IN_ROW = 5;

/**
 * Returns a circuit breaker, which stops requests to an operation that no longer replies. Without
 * it, a run would wait for a timeout on every request. All times are milliseconds of one clock.
 */
export function createCircuitBreaker() {
  const reasons = new Map<string, string>();
  const inRow = new Map<string, { readonly times: number; readonly foundAt: number }>();
  return {
    /** Returns why no more requests may be sent to a path; undefined if they may. */
    openReason: (path: string): string | undefined =>
      (inRow.get(path)?.times ?? 0) >= MAX_UNANSWERED_IN_ROW
        ? `${path} did not respond to ${MAX_UNANSWERED_IN_ROW} requests in a row`
        : reasons.get(path),
    /** Stops requests to a path, for the given reason. */
    open: (path: string, why: string) => void reasons.set(path, why),
    replied: (path: string) => void inRow.delete(path),
    unanswered: (path: string, startedAt: number, now: number): void => {
      const { times, foundAt } = inRow.get(path) ?? { times: 0, foundAt: 0 };
      // Concurrent requests that fail during one outage count once.
      if (startedAt >= foundAt) inRow.set(path, { times: times + 1, foundAt: now });
    },
  };
}
