import { expect } from 'vitest';
import type { JudgedReply } from '../model/judged-reply.ts';
import type { ReplyVerdict, Rule } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';
import { statementText } from '../model/statement-text.ts';
import { verdictOn } from './broken-replies.testing.ts';

/** Expects some rules to say of a reply what a row says. */
export function expectOf(
  rules: readonly Rule[],
  input: JudgedReply,
  said: readonly string[],
): void {
  expectLines(
    rules.flatMap((rule) => linesOf(rule, verdictOn(rule, input))),
    said,
  );
}

/** Expects lines to be those written, where those of no fault may be left out. */
export function expectLines(lines: readonly Line[], said: readonly string[]): void {
  if (said[0] === 'nothing applies') {
    expect(lines.filter(({ text }) => !text.endsWith(' n/a'))).toEqual([]);
    return;
  }
  const told = lines.flatMap(({ text, isFault }) => {
    const written = said.find((each) => text === each || text.startsWith(`${each}: `));
    return written ?? (isFault ? text : []);
  });
  expect(told.sort()).toEqual([...said].sort());
}

/** What one rule says. */
export type Line = { readonly text: string; readonly isFault: boolean };

/** Returns what a rule says in lines, as rows have them. */
export function linesOf({ id }: Rule, verdict: ReplyVerdict | undefined): readonly Line[] {
  if (verdict === undefined) return [{ text: `${id} n/a`, isFault: false }];
  const { findings, observed } = verdict;
  return [
    ...findings.map(({ actual, expected, pointer }) => {
      expect(`${statementText(expected)} ${statementText(actual)}`).not.toMatch(
        /undefined|\[object/,
      );
      return { text: `${id}${placeOf(pointer)}: ${rowText(actual)}`, isFault: true };
    }),
    ...[observed ?? []].flat().map((text) => ({ text: `${id}: ${text}`, isFault: false })),
  ];
}

/** Returns a statement as rows have it: amounts are base units alone. */
function rowText(statement: Statement): string {
  return statement
    .map((part) =>
      typeof part === 'object' && part.kind === 'amount'
        ? String(part.units)
        : statementText([part]),
    )
    .join('');
}

function placeOf(pointer: string | undefined): string {
  if (pointer === undefined) return '';
  return pointer === '' ? ' at the top' : ` at ${pointer}`;
}
