import { createDeck, type Deck } from '../../generate/deck.ts';

/** Deals items in random order, in each stratum each once before any again. */
export type Strata<Item> = (...stratum: readonly (string | number | boolean)[]) => Item;

/**
 * Returns a function that deals from a separate deck for each stratum, so that every item is met in
 * every stratum, however few of its trades there are. The decks of two strata are shuffled differently.
 */
export function createStrata<Item>(items: readonly Item[], seed: number): Strata<Item> {
  const decks = new Map<string, Deck<Item>>();
  return (...stratum) => {
    const key = stratum.join(' ');
    const deck = decks.get(key) ?? createDeck(items, seed + hashOf(key));
    decks.set(key, deck);
    return deck.deal();
  };
}

/** FNV-1a, in 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash;
}
