/**
 * Minimum number of replies below the limit, and of failures above it. If half of all requests
 * failed by chance, all requests below the limit would succeed with a probability of only 2^-8. A
 * wrongly assumed limit costs only time.
 */
const MIN_REPLIES = 8;

export type LoadLimit = ReturnType<typeof createLoadLimit>;

/**
 * Estimates how many concurrent requests a service accepts before further requests fail with errors
 * such as 500. `maxInFlight` is the user's maximum. The service has a limit if every reply up to
 * some concurrency is valid, and at least half of the replies above it fail. Random or permanent
 * failures would also occur below the limit.
 */
export function createLoadLimit(maxInFlight: number) {
  const [replies, failures] = [new Map<number, number>(), new Map<number, number>()];
  let limit = maxInFlight;
  const sum = (counts: ReadonlyMap<number, number>, from: number, to: number) =>
    [...counts].reduce((all, [at, count]) => (from <= at && at <= to ? all + count : all), 0);
  return {
    /**
     * Records a reply to a request. `inFlight` is the number of requests in flight when this
     * request was sent, including the request itself.
     */
    replied: (inFlight: number, isFailed: boolean): void => {
      replies.set(inFlight, (replies.get(inFlight) ?? 0) + 1);
      if (!isFailed) return;
      failures.set(inFlight, (failures.get(inFlight) ?? 0) + 1);
      const accepted = Math.min(limit, ...failures.keys()) - 1;
      const failed = sum(failures, accepted + 1, limit);
      const isShedding = failed >= MIN_REPLIES && failed * 2 >= sum(replies, accepted + 1, limit);
      if (isShedding && sum(replies, 1, accepted) >= MIN_REPLIES) limit = accepted;
    },
    /** Returns the maximum number of requests in flight. */
    maxInFlight: () => limit,
  };
}
