const WAITS_BY_FAILURE_MS = [0, 300, 1_200];
const MAX_WAITS_IF_WAITING_HELPS = 10;
/**
 * After this many requests have failed on every retry, later requests are repeated only once,
 * without a pause.
 */
const MIN_HOPELESS_REQUESTS = 4;

/**
 * Decides whether to repeat a request after a server error, since "Internal server error" reveals
 * nothing about the request. The cause may be chance, a permanent fault, or a rate limit, for which
 * the specification provides no other status.
 */
export function createRetryPolicy() {
  let [atOnce, later, never] = [0, 0, 0];
  return {
    /** Returns whether requests succeeded more often after a wait than without one. */
    showsLimit: () => later > atOnce,
    /**
     * Returns how many milliseconds to wait before repeating a request that failed the given number
     * of times; undefined to give up.
     */
    waitMs: (failures: number): number | undefined => {
      if (failures > 1 && never >= MIN_HOPELESS_REQUESTS + 2 * later) return undefined;
      const wait = WAITS_BY_FAILURE_MS[failures - 1];
      return (
        wait ??
        (later > 0 && failures < MAX_WAITS_IF_WAITING_HELPS
          ? WAITS_BY_FAILURE_MS.at(-1)
          : undefined)
      );
    },
    /** Records the final outcome of a request after the given number of failures. */
    settled: (failures: number, outcome: 'served' | 'failed'): void => {
      if (failures === 0) return;
      if (outcome === 'failed') never++;
      else if (failures === 1) atOnce++;
      else later++;
    },
  };
}
