import { expect, test } from 'vitest';
import {
  type Given,
  given,
  goldenChainInfo,
  goldenChains,
  goldenError,
  goldenNativeBuy,
  goldenNativeSell,
  goldenPlainSwap,
  goldenSwap,
  goldenTokens,
  type Loose,
  NATIVE,
  WITHOUT_CALLDATA,
} from '../model/golden-replies.testing.ts';
import type { JudgedReply, ReplyVerdict, Rule } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';
import { statementText } from '../model/statement-text.ts';
import { testWords, wordsOf } from './words.testing.ts';

/** Golden replies, each with what stands around it. */
export const GOLDEN = {
  swap: [goldenSwap, {}],
  plainSwap: [goldenPlainSwap, { query: WITHOUT_CALLDATA }],
  nativeSell: [
    goldenNativeSell,
    { query: { sellToken: NATIVE, sellAmount: '2162884172944070813' } },
  ],
  nativeBuy: [goldenNativeBuy, { query: { buyToken: `0x${'E'.repeat(40)}` } }],
  tokens: [goldenTokens, { endpoint: 'tokens' }],
  chains: [goldenChains, { endpoint: 'chains' }],
  chainInfo: [goldenChainInfo, { endpoint: 'chainInfo' }],
  error: [goldenError, { status: 400 }],
} as const satisfies Readonly<Record<string, readonly [() => Loose, Given]>>;

/** A change of a golden reply. */
type Change = (body: Loose) => unknown;

/**
 * A change of a golden reply, or of what stands around it, or of both, with what
 * the rules of a file say of it: every fault, and what else is worth pinning.
 *
 * - `route/address at /routes/0`: fails there, once for each time it is written
 * - `route/address at /routes/0: 5`: and says this as `actual`
 * - `endpoint/status: 404`: fails without a place in the body
 * - `route/address n/a`: does not apply
 * - `route/details-observed: none`: records this
 * - `nothing applies`: no rule of the file does
 */
export type Row =
  | readonly [change: Change, ...said: string[]]
  | readonly [around: Given, ...said: string[]]
  | readonly [change: Change, around: Given, ...said: string[]];

/** A value that no rule of the file finds fault with. */
export const right = (pointer: string, value: unknown): Row => [set(pointer, value)];

/** A value that these rules find fault with, where it stands, and quote. */
export const wrong = (pointer: string, value: unknown, ...ids: readonly string[]): Row => [
  set(pointer, value),
  ...ids.map((id) => `${id} at ${pointer}: ${JSON.stringify(value)}`),
];

/** Returns a change that puts a value at a place (RFC 6901), or takes it away: undefined. */
export function set(pointer: string, value: unknown): Change {
  const names = pointer.split('/').slice(1);
  return (body) => {
    const parent = names.slice(0, -1).reduce((object, name) => object[name], body);
    const name = names.at(-1) ?? '';
    if (value === undefined) delete parent[name];
    else parent[name] = value;
  };
}

/**
 * Returns rows for the fields of one object: each with a value of a wrong type,
 * and each left out, unless its name ends in a question mark.
 */
export function fields(
  slug: string,
  pointer: string,
  wrongTypes: Readonly<Record<string, unknown>>,
): readonly Row[] {
  return Object.entries(wrongTypes).flatMap(([name, value]): readonly Row[] => {
    const field = name.replace('?', '');
    const id = `${slug}/${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const without: Row = [
      set(`${pointer}/${field}`, undefined),
      `${id} at ${pointer || 'the top'}: it is missing`,
    ];
    return [
      [set(`${pointer}/${field}`, value), `${id} at ${pointer}/${field}`],
      ...(name.endsWith('?') ? [] : [without]),
    ];
  });
}

/** Rows on one golden reply. */
export type Table = {
  readonly golden: keyof typeof GOLDEN;
  readonly rows: readonly Row[];
  readonly otherwise: Given;
};

/** Returns rows on one golden reply, and what stands around it otherwise than there. */
export function on(
  golden: keyof typeof GOLDEN,
  rows: readonly Row[],
  otherwise: Given = {},
): Table {
  return { golden, rows, otherwise };
}

/** Defines a test for each row, and one that no rule on replies is without a row in which it speaks. */
export function testReplies(rules: readonly Rule[], ...tables: readonly Table[]): void {
  const rows = tables.flatMap(({ golden, rows: all, otherwise }) =>
    all.map((row: readonly (Change | Given | string)[]) => {
      const said = row.filter((each): each is string => typeof each === 'string');
      const changes = row.filter((each): each is Change => typeof each === 'function');
      const around = row.filter((each): each is Given => typeof each === 'object');
      const judged = (): JudgedReply => {
        const [open, usual] = GOLDEN[golden];
        const body = open();
        for (const change of changes) change(body);
        return given(body, Object.assign({}, usual, otherwise, ...around));
      };
      return { said, judged };
    }),
  );
  test.each(rows.map((row, index) => [titleOf(row.said, index), row] as const))(
    '%s',
    (_title, { judged, said }) => expectOf(rules, judged(), said),
  );
  testWords('replies', () =>
    rows.flatMap(({ judged }) => rules.flatMap((rule) => wordsOf(rule, verdictOn(rule, judged())))),
  );
  test('each rule on replies -> fails or observes in some row', () => {
    const said = rows.flatMap((row) => row.said).filter((line) => !line.endsWith(' n/a'));
    const spoken = new Set(said.map((line) => line.split(/[: ]/)[0]));
    const silent = rules.filter(({ id, kind }) => /reply|exchange/.test(kind) && !spoken.has(id));
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
}

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

/** Returns what one rule says of a reply, as the runner would ask it; undefined where it does not apply. */
export function verdictOn(rule: Rule | undefined, input: JudgedReply): ReplyVerdict | undefined {
  if (rule?.kind === 'exchange') return rule.judge(input.exchange);
  if (rule?.kind !== 'reply') return undefined;
  const fits = rule.endpoint === undefined || rule.endpoint === input.exchange.endpoint;
  return fits ? rule.judge(input) : undefined;
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

function titleOf(said: readonly string[], index: number): string {
  return `row ${index + 1} -> ${said.join(', ') || 'no fault'}`;
}
