/**
 * Number of replies required on either side. If half of all were shed by chance, all the lower ones
 * would succeed with probability 2^-8. Assuming a limit that does not exist only costs time.
 */
const MIN_REPLIES = 8;

export type LoadLimit = ReturnType<typeof createLoadLimit>;

/**
 * Estimates how many concurrent requests a service accepts before it sheds the rest with faults
 * such as 500; `maxInFlight` is the user's maximum. If every reply up to some concurrency is valid and
 * half of those above it fail, the service sheds by concurrency; failures by chance, or permanent
 * ones, occur below it as well.
 */
export function createLoadLimit(maxInFlight: number) {
  const counts = Array.from({ length: maxInFlight + 1 }, () => ({ replies: 0, failures: 0 }));
  let limit = maxInFlight;
  const sum = (from: number, to: number) =>
    counts.slice(from, to + 1).reduce(
      (total, { replies, failures }) => ({
        replies: total.replies + replies,
        failures: total.failures + failures,
      }),
      { replies: 0, failures: 0 },
    );
  return {
    /**
     * Records a reply to a request; `inFlight` is the number of requests in flight when it was
     * sent, including itself.
     */
    replied: (inFlight: number, isFailed: boolean): void => {
      const count = counts[Math.min(inFlight, maxInFlight)];
      if (count === undefined) return;
      count.replies++;
      if (!isFailed) return;
      count.failures++;
      for (let accepted = limit - 1; accepted > 0; accepted--) {
        const [below, above] = [sum(1, accepted), sum(accepted + 1, limit)];
        if (below.failures > 0) continue;
        const isShedding = above.failures >= MIN_REPLIES && above.failures * 2 >= above.replies;
        if (isShedding && below.replies >= MIN_REPLIES) limit = accepted;
        return;
      }
    },
    /** Returns the maximum number of requests in flight. */
    maxInFlight: () => limit,
  };
}
