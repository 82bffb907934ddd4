/** Deals items in random order, each once before any again. */
export type Deck<T> = { readonly deal: () => T };

/**
 * Returns a deck of at least one item, shuffled by its seed and reshuffled each
 * time it runs out.
 *
 * @throws {RangeError} when there is nothing to deal.
 */
export function createDeck<T>(items: readonly T[], seed: number): Deck<T> {
  if (items.length === 0) throw new RangeError('a deck needs at least one item');
  const random = createRandom(seed);
  let left: T[] = [];
  return {
    deal: () => {
      if (left.length === 0) left = shuffle(items, random);
      return left.pop() as T;
    },
  };
}

/**
 * Returns a function that returns numbers from 0 to below 1, the same ones for
 * the same seed (mulberry32).
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

/** Returns the items in an order drawn by `random` (Fisher and Yates). */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled;
}
