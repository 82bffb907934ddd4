/** So many replies on either side: were half of all shed by chance, 2^-8 is how likely none of the lower ones is. A limit that is not there costs but time. */
const ENOUGH = 8;

export type LoadLimit = ReturnType<typeof createLoadLimit>;

/**
 * Finds out how many requests a service takes at once before it sheds the rest with
 * faults such as 500, as its replies tell; `most` is what the user allows. Where every
 * reply up to some number at once is sound, and above it half of them fail, the
 * service sheds by concurrency; what fails by chance, or always, does so below as well.
 */
export function createLoadLimit(most: number) {
  const counts = Array.from({ length: most + 1 }, () => ({ replies: 0, failures: 0 }));
  let limit = most;
  const sum = (from: number, to: number) =>
    counts.slice(from, to + 1).reduce(
      (total, { replies, failures }) => ({
        replies: total.replies + replies,
        failures: total.failures + failures,
      }),
      { replies: 0, failures: 0 },
    );
  return {
    /** Notes a reply to a request that was sent while so many were in flight, itself among them. */
    replied: (inFlight: number, isFailed: boolean): void => {
      const count = counts[Math.min(inFlight, most)];
      if (count === undefined) return;
      count.replies++;
      if (!isFailed) return;
      count.failures++;
      for (let sound = limit - 1; sound > 0; sound--) {
        const [below, above] = [sum(1, sound), sum(sound + 1, limit)];
        if (below.failures > 0) continue;
        const isShedding = above.failures >= ENOUGH && above.failures * 2 >= above.replies;
        if (isShedding && below.replies >= ENOUGH) limit = sound;
        return;
      }
    },
    /** The most that may be in flight. */
    most: () => limit,
  };
}
