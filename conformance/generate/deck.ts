import { createRandom } from '../model/random.ts';

/** Deals items in random order, each once before any is repeated. */
export type Deck<T> = { readonly deal: () => T };

/**
 * Returns a deck of items, shuffled by the seed. Shuffles the deck again whenever it runs out.
 *
 * @throws {RangeError} if there are no items.
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

/** Returns the items in random order, by the Fisher-Yates method. */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled;
}

/**
 * Deals items in random order. Each stratum receives every item once before any item is repeated.
 */
export type StratifiedDeal<Item> = (...stratum: readonly (string | number | boolean)[]) => Item;

/**
 * Returns a function that deals from a separate deck for each stratum. This spreads the items
 * evenly over the trades of every stratum. The decks of two strata are shuffled differently.
 */
export function createStratifiedDeal<Item>(
  items: readonly Item[],
  seed: number,
): StratifiedDeal<Item> {
  const decks = new Map<string, Deck<Item>>();
  return (...stratum) => {
    const key = stratum.join(' ');
    const deck = decks.get(key) ?? createDeck(items, seed + fnv1a32(key));
    decks.set(key, deck);
    return deck.deal();
  };
}

function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash;
}
