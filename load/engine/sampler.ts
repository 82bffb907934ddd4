/** Maximum number of judged replies per second, unless all replies are judged. */
export const SAMPLES_PER_SECOND = 100;

/** Selects the replies to sample, evenly spread over each second. */
export type Sampler = {
  /** Returns whether the reply to the next request is sampled. */
  readonly wantsNext: () => boolean;
  /**
   * Starts a new second. The sampler spreads its samples according to the rate of the previous
   * second.
   */
  readonly endSecond: () => void;
};

/**
 * Returns a sampler that selects at most `perSecond` replies a second, and all replies at a lower
 * rate.
 */
export function createSampler(perSecond: number): Sampler {
  let every = 1;
  let taken = 0;
  let seen = 0;
  return {
    wantsNext() {
      const isWanted = seen % every === 0 && taken < perSecond;
      seen += 1;
      if (isWanted) taken += 1;
      return isWanted;
    },
    endSecond() {
      every = Math.max(1, Math.floor(seen / perSecond));
      seen = 0;
      taken = 0;
    },
  };
}
