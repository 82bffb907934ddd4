import { addressKey } from '../checks/hex.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import { quote, type Statement, words } from '../model/statement.ts';
import { type Judge, none } from './reply-judges.ts';

/** Difference between a reply and the first reply to the same lookup, which discovery received. */
export type Difference = {
  readonly pointer: string;
  readonly first: Statement;
  readonly now: Statement;
};

/**
 * Returns a judge that holds if a reply does not differ from the first reply. The judge does not
 * apply if `differencesOf` returns undefined, because there is nothing to compare.
 */
export function sameAsFirst(
  differencesOf: (input: JudgedReply) => readonly Difference[] | undefined,
): Judge {
  return none(
    differencesOf,
    'differs',
    ({ first }) => words`${first}, as in the first reply`,
    ({ now }) => now,
  );
}

/**
 * Compares a value with the value in the first reply, but ignores the order of lists and the letter
 * case of addresses. `of` names the object that contains the value.
 */
export function compareWithFirst(
  pointer: string,
  value: unknown,
  first: unknown,
  of: Statement = [],
): readonly Difference[] {
  return isSame(value, first)
    ? []
    : [{ pointer, first: words`${quote(first)}${of}`, now: [quote(value)] }];
}

function isSame(value: unknown, first: unknown): boolean {
  const isSameList =
    Array.isArray(value) && Array.isArray(first) && value.length === first.length
      ? value.every((each, at) => each === first[at])
      : value === first;
  return isSameList || asText(value) === asText(first);
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map((each) => JSON.stringify(each)).sort());
  return JSON.stringify(typeof value === 'string' ? addressKey(value) : (value ?? null));
}
