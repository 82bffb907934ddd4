import type { Clause } from '../clauses.ts';

type Row = readonly [id: string, words: string];

/** Clauses of one level from rows of id and words. */
export function clauses(
  level: 'must' | 'should' | 'observe',
  rows: readonly Row[],
): readonly Clause[] {
  return rows.map(([id, words]) => ({ id, words, level }));
}

/** Clauses that nothing outside the service can show, each with the reason. */
export function untestable(
  rows: readonly (readonly [id: string, words: string, why: string])[],
): readonly Clause[] {
  return rows.map(([id, words, why]) => ({ id, words, level: 'untestable', why }));
}
