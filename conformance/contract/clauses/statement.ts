/** What one clause says: its words alone, where that is a `must`; else its level, and why nothing outside can show it. */
export type Statement =
  | string
  | { readonly level: 'should' | 'observe'; readonly words: string }
  | { readonly level: 'untestable'; readonly words: string; readonly why: string };

/** Statements by the ids of their clauses, in the order of the specification. */
export type Statements = Readonly<Record<string, Statement>>;

export const should = (words: string): Statement => ({ level: 'should', words });

export const observe = (words: string): Statement => ({ level: 'observe', words });

export const untestable = (words: string, why: string): Statement => ({
  level: 'untestable',
  words,
  why,
});
