import { closest, distance } from 'fastest-levenshtein';

/**
 * Returns the most similar word, or undefined if none is similar.
 *
 * @example nearestOf('plan/acylic', ['plan/acyclic', 'plan/returned']) // 'plan/acyclic'
 */
export function nearestOf(word: string, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const nearest = closest(word, words);
  const most = Math.min(word.length - 1, Math.max(2, word.length / 3));
  return distance(word, nearest) <= most ? nearest : undefined;
}

/**
 * Returns a hint at the most similar word, to append to an error message; empty if none is similar.
 */
export function didYouMean(word: string, words: readonly string[]): string {
  const nearest = nearestOf(word, words);
  return nearest === undefined ? '' : `, did you mean '${nearest}'?`;
}
