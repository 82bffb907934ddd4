/**
 * Returns a generator of numbers from 0 to below 1 (mulberry32). The same seed gives the same
 * numbers.
 *
 * @see https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
 */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a separate generator for each request (and attempt) of a run. */
export function randomFor(seed: number, request: number, attempt = 0): () => number {
  return createRandom(seed + request * 7_919 + attempt);
}

/**
 * Returns the item that `point`, from 0 to 1, selects if the n-th item is drawn 1/n as often as the
 * first; undefined if there are no items.
 */
export function drawByRank<Item>(items: readonly Item[], point: number): Item | undefined {
  let left = point * items.reduce((sum, _item, at) => sum + 1 / (at + 1), 0);
  return (
    items.find((_item, at) => {
      left -= 1 / (at + 1);
      return left < 0;
    }) ?? items[0]
  );
}
