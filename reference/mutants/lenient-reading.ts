import type { Middleware } from 'koa';
import { readLeniently } from './alter-request.ts';
import type { Mutant } from './mutant.ts';

/*
 * Rules of parameters that are not enforced. Each mutant reads one violation as
 * some careless parser would, and answers as if nothing were wrong.
 */

/** How one parameter is read: the text that stands for what was given, or `undefined` to leave it. */
export type Read = (text: string | undefined) => string | undefined;

/** The native token. */
export const NATIVE = `0x${'0'.repeat(40)}`;
/** Some account. */
export const ACCOUNT = `0x${'c'.repeat(40)}`;
/** As much of a token of 18 decimals as moves no market. */
export const SOME = '1000000000000000';

/** Returns a reader that puts something for texts that match, and leaves the rest. */
export function matching(pattern: RegExp, stand: (text: string) => string): Read {
  return (text) => (text !== undefined && pattern.test(text) ? stand(text) : undefined);
}

/** Returns a reader that puts a value where none is given. */
export const absentAs =
  (value: string): Read =>
  (text) =>
    text === undefined ? value : undefined;

/** Returns the first digits in a text. */
export const digitsOf = (text: string) => /[0-9]+/.exec(text)?.[0] ?? text;

/** A mutant as a row of a table. */
export type Row = readonly [
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  middleware: () => Middleware,
];

/** Returns a factory of middleware that reads a parameter of `/swap` in its own way. */
export function swapReads(name: string, read: Read): () => Middleware {
  return () => readLeniently('swap', name, read);
}

/** Returns the mutants of a table. */
export function mutantsOf(rows: readonly Row[]): readonly Mutant[] {
  return rows.map(([id, clause, caughtBy, title, middleware]) => ({
    id,
    clause,
    caughtBy,
    title,
    middleware,
  }));
}
