import { closest, distance } from 'fastest-levenshtein';

/**
 * Returns the most similar word, or undefined if no word is similar.
 *
 * @example nearestOf('plan/acylic', ['plan/acyclic', 'plan/returned']) // 'plan/acyclic'
 */
export function nearestOf(word: string, words: readonly string[]): string | undefined {
  const maxDistance = Math.min(word.length - 1, Math.max(2, word.length / 3));
  const ofSimilarLength = words.filter(
    ({ length }) => Math.abs(length - word.length) <= maxDistance,
  );
  if (ofSimilarLength.length === 0) return undefined;
  const nearest = closest(word, ofSimilarLength);
  return distance(word, nearest) <= maxDistance ? nearest : undefined;
}

/**
 * Returns a suggestion to append to an error message: the most similar word. Returns an empty
 * string if no word is similar.
 */
export function didYouMean(word: string, words: readonly string[]): string {
  const nearest = nearestOf(word, words);
  return nearest === undefined ? '' : `, did you mean '${nearest}'?`;
}
