import type { Clause } from '../clauses.ts';

/** Clauses of one level: the words of each by its id. */
export function clauses(
  level: 'must' | 'should' | 'observe',
  wordsById: Readonly<Record<string, string>>,
): readonly Clause[] {
  return Object.entries(wordsById).map(([id, words]) => ({ id, words, level }));
}

/** Clauses that nothing outside the service can show: the words of each by its id, and the reason. */
export function untestable(
  byId: Readonly<Record<string, readonly [words: string, why: string]>>,
): readonly Clause[] {
  return Object.entries(byId).map(([id, [words, why]]) => ({
    id,
    words,
    level: 'untestable',
    why,
  }));
}
