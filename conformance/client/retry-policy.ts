/** After the first failure, the second and the third. */
const WAITS_MS = [0, 300, 1_200];
/** Maximum waits if waiting has helped before. */
const MAX_WAITS = 10;
/** Requests that failed however often they were asked: more of them are asked again once, without a pause. */
const HOPELESS = 4;

/**
 * Whether a request that met a fault of the server is asked again, as "Internal
 * server error" says nothing of what was asked. It may be chance, a limit of the rate
 * for which the specification has no other word, or the answer there is.
 */
export function createRetryPolicy() {
  let [atOnce, later, never] = [0, 0, 0];
  return {
    /** Whether waiting helped more often than asking again at once. */
    showsLimit: () => later > atOnce,
    /** Milliseconds until a request that failed so often is asked again; undefined, not again. */
    waitMs: (failures: number): number | undefined => {
      if (failures > 1 && never >= HOPELESS + 2 * later) return undefined;
      const wait = WAITS_MS[failures - 1];
      return wait ?? (later > 0 && failures < MAX_WAITS ? WAITS_MS.at(-1) : undefined);
    },
    /** Notes what came of a request that had failed so often before. */
    settled: (failures: number, outcome: 'answered' | 'failed'): void => {
      if (failures === 0) return;
      if (outcome === 'failed') never++;
      else if (failures === 1) atOnce++;
      else later++;
    },
  };
}
