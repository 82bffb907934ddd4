/** Chooses the replies that are judged, spread evenly over each second. */
export type Sampler = {
  /** Whether the reply to the next request is one of them. */
  readonly wantsNext: () => boolean;
  /** The rate of the second that ends spreads the samples of the next. */
  readonly endSecond: () => void;
};

/** Returns a sampler that takes about `perSecond` replies a second, and never more; all, where fewer come. */
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
