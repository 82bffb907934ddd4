import { createDeck, type Deck } from '../../generate/deck.ts';

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
