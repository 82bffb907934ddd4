import { describe, expect, expectTypeOf, test } from 'vitest';
import { formatQuoted, formatStatement } from './format-statement.ts';
import { amountIn, type Part, quote, quoteAll, reason, statusCode, words } from './statement.ts';

const USDC = `0x${'a'.repeat(40)}`;
const tokenOf = () => ({ symbol: 'USDC', decimals: 6 });

describe('words', () => {
  test('literals and values -> parts in order, without empty parts', () => {
    expect(words`${statusCode(500)} with ${quoteAll(['a', 1])}`).toEqual([
      { kind: 'number', number: 500 },
      ' with ',
      { kind: 'json', text: '"a"' },
      ', ',
      { kind: 'json', text: '1' },
    ]);
    expect(words`at least ${5n}, ${2} times`).toEqual([
      'at least ',
      { kind: 'amount', units: 5n, token: undefined },
      ', ',
      { kind: 'number', number: 2 },
      ' times',
    ]);
  });

  test('a string that is not a literal -> type error', () => {
    const symbol: string = JSON.parse('"of the service"');
    const address = `0x${symbol}` as const;
    // @ts-expect-error
    words`${symbol}`;
    // @ts-expect-error
    words`${address}`;
    expectTypeOf(words`${'sell' as 'sell' | 'buy'}`).toEqualTypeOf<readonly Part[]>();
  });
});

describe('formatStatement', () => {
  test.each<[string, unknown, string]>([
    ['a text', 'a "b"', String.raw`"a \"b\""`],
    ['nothing', undefined, 'nothing'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['120 characters', 'x'.repeat(118), `"${'x'.repeat(118)}"`],
    ['a longer text: cut, its quotes closed', 'x'.repeat(119), `"${'x'.repeat(115)}..."`],
    ['a longer list', Array(70).fill(1), `[${'1,'.repeat(57)}1...`],
    [
      'an escape sequence at the cut',
      `${'x'.repeat(114)}${'"'.repeat(9)}`,
      `"${'x'.repeat(114)}..."`,
    ],
    ['escaped backslashes at the cut', `${'\\'.repeat(90)}`, `"${'\\'.repeat(0)}..."`],
    ['quotes within the text', `"${'x'.repeat(130)}`, String.raw`"\"${'x'.repeat(113)}..."`],
  ])('quote: %s', (_what, value, text) => expect(formatQuoted(value)).toBe(text));

  test('an amount of a known token -> whole tokens and base units', () => {
    const statement = words`${amountIn(1_500_000n, { address: USDC })} left over`;
    expect(formatStatement(statement, { tokenOf })).toBe('1.5 USDC (1500000 base units) left over');
    expect(formatStatement(statement)).toBe(`1500000 base units of ${USDC} left over`);
    const ofToken = words`${amountIn(7n, { referenceId: 2 })}`;
    expect(formatStatement(ofToken, { tokenOf: () => undefined })).toBe('7 base units of token 2');
  });

  test('a number instead of an amount -> the number as sent', () => {
    expect(formatStatement([quote(400_000_000)], { tokenOf })).toBe('400000000');
  });

  test('an API key in values -> hidden, but not in our own words', () => {
    const redactor = {
      redactText: (text: string) => text.replaceAll('swap', '***'),
      redactSentence: (text: string) => text.replaceAll('"swap"', '"***"'),
    };
    const statement = words`a swap by ${quote(['swap'])}, ${reason('swap of "swap"')}`;
    expect(formatStatement(statement, { redactor })).toBe('a swap by ["***"], swap of "***"');
    const long = [quote(`${'x'.repeat(110)}swap${'x'.repeat(90)}`)];
    expect(formatStatement(long, { redactor })).toBe(`"${'x'.repeat(110)}***xx..."`);
  });
});
