import { describe, expect, test } from 'vitest';
import { type Given, given, type Loose } from '../model/golden-replies.testing.ts';
import type { JudgedReply, ReplyVerdict, Rule } from '../model/rule.ts';

/**
 * A change of a golden reply, or of what stands around it, and what the rules of
 * a file say of it: every fault, and what else is worth pinning.
 *
 * - `route/address at /routes/0`: fails there, once for each time it is written
 * - `route/address at /routes/0: 5`: and says this as `actual`
 * - `endpoint/status: 404`: fails without a place in the body
 * - `route/address n/a`: does not apply
 * - `route/details-observed: none`: records this
 * - `nothing applies`: no rule of the file does
 */
export type Row = readonly [
  change: (body: Loose) => unknown,
  said: readonly string[],
  around?: Given | undefined,
];

/** Rows on one golden reply. */
export type Group = readonly [golden: () => Loose, around: Given, rows: readonly Row[]];

/** For rows that change what stands around a reply, and not its body. */
export const asItIs = (): void => {};

/**
 * Returns rows for the fields of one object: each that is left out, unless its
 * name ends in a question mark, and each with a value of a wrong type.
 */
export function fieldRows(
  slug: string,
  pointer: string,
  wrong: Readonly<Record<string, unknown>>,
  also: (field: string) => readonly string[] = () => [],
): readonly Row[] {
  const objectOf = (body: Loose): Loose =>
    pointer
      .split('/')
      .slice(1)
      .reduce((object, name) => object[name], body);
  return Object.entries(wrong).flatMap(([name, value]): readonly Row[] => {
    const field = name.replace('?', '');
    const id = `${slug}/${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const isOptional = name.endsWith('?');
    return [
      [
        (body) => Object.assign(objectOf(body), { [field]: value }),
        [`${id} at ${pointer}/${field}`, ...also(field)],
      ],
      ...(isOptional
        ? []
        : [
            [
              (body: Loose) => delete objectOf(body)[field],
              [`${id} at ${pointer || 'the top'}`, ...also(field)],
            ] as const,
          ]),
    ];
  });
}

/** Defines a test for each row, and one that no rule on replies is without a row in which it speaks. */
export function testReplyRules(rules: readonly Rule[], groups: readonly Group[]): void {
  const rows = groups.flatMap(([golden, around, group]) =>
    group.map(([change, said, own]) => ({ golden, change, said, around: { ...around, ...own } })),
  );
  describe('replies', () => {
    test.each(rows.map((row) => [titleOf(row), row] as const))('%s', (_title, row) => {
      const body = structuredClone(row.golden());
      row.change(body);
      expectOf(rules, given(body, row.around), row.said);
    });
  });
  test('each rule on replies -> fails or observes in some row', () => {
    const spoken = new Set(
      rows.flatMap(({ said }) => said).filter((line) => !line.endsWith(' n/a')),
    );
    const isSpoken = ({ id }: Rule) => [...spoken].some((line) => line.split(/[: ]/)[0] === id);
    const silent = rules.filter(({ kind }) => kind === 'reply' || kind === 'exchange');
    expect(silent.filter((rule) => !isSpoken(rule)).map(({ id }) => id)).toEqual([]);
  });
}

/** Expects some rules to say of a reply what a row says. */
export function expectOf(
  rules: readonly Rule[],
  input: JudgedReply,
  said: readonly string[],
): void {
  const lines = rules.flatMap((rule) => linesOf(rule, verdictOn(rule, input)));
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

/** Returns what one rule says of a reply, as the runner would ask it; undefined where it does not apply. */
export function verdictOn(rule: Rule | undefined, input: JudgedReply): ReplyVerdict | undefined {
  if (rule?.kind === 'exchange') return rule.judge(input.exchange);
  if (rule?.kind !== 'reply') return undefined;
  const fits = rule.endpoint === undefined || rule.endpoint === input.exchange.endpoint;
  return fits ? rule.judge(input) : undefined;
}

type Line = { readonly text: string; readonly isFault: boolean };

function linesOf({ id }: Rule, verdict: ReplyVerdict | undefined): readonly Line[] {
  if (verdict === undefined) return [{ text: `${id} n/a`, isFault: false }];
  const { findings, observed } = verdict;
  return [
    ...findings.map(({ actual, expected, pointer }) => {
      expect(`${expected} ${actual}`).not.toMatch(/undefined|\[object/);
      return { text: `${id}${placeOf(pointer)}: ${actual}`, isFault: true };
    }),
    ...(observed === undefined ? [] : [{ text: `${id}: ${observed}`, isFault: false }]),
  ];
}

function placeOf(pointer: string | undefined): string {
  if (pointer === undefined) return '';
  return pointer === '' ? ' at the top' : ` at ${pointer}`;
}

function titleOf({ change, said, around }: { change: Row[0]; said: Row[1]; around: Given }) {
  const what = change === asItIs ? JSON.stringify(around) : String(change).replace(/\s+/g, ' ');
  return `${what.slice(0, 100)} -> ${said.join(', ') || 'no fault'}`;
}
