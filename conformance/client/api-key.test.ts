import { expect, test } from 'vitest';
import { readApiKey } from './api-key.ts';

const [LINE_BREAK, SPACE, SHORT] = [
  'the API key began or ended with a line break, which was removed',
  'the API key begins or ends with a space, which is sent as part of the key: remove it',
  'the API key has fewer than 4 characters: it is redacted only where it is a whole word or a parameter value',
];
const inQuotes = (quote: string) =>
  `the API key is in quotes (${quote}), which are sent as part of the key: remove them`;

const unusual = (number: string, what: string) =>
  `the API key contains U+${number}, which ${what} and is sent as part of the key: copy the key again as plain text`;

test.each<[given: string, apiKey: string, remarks: readonly string[]]>([
  ['', '', []],
  ['k3y-0815', 'k3y-0815', []],
  ['k3y "0815', 'k3y "0815', []],
  ['k3y-0815\n', 'k3y-0815', [LINE_BREAK]],
  ['\r\nk3y-0815\r\n', 'k3y-0815', [LINE_BREAK]],
  ['\n', '', [LINE_BREAK]],
  ['"k3y-0815"', '"k3y-0815"', [inQuotes('"')]],
  ["'k3y-0815'\n", "'k3y-0815'", [LINE_BREAK, inQuotes("'")]],
  ['k3y-0815 ', 'k3y-0815 ', [SPACE]],
  ['k3y\n0815', 'k3y\n0815', ['the API key contains a line break: remove it']],
  [
    '“k3y-0815”',
    '“k3y-0815”',
    [inQuotes('“'), unusual('201C', `looks like '"'`), unusual('201D', `looks like '"'`)],
  ],
  ['k3y\u20110815', 'k3y\u20110815', [unusual('2011', "looks like '-'")]],
  ['k3y-\u200b0815\u200b', 'k3y-\u200b0815\u200b', [unusual('200B', 'is invisible')]],
  ['\ufeffk3y-0815', '\ufeffk3y-0815', [SPACE, unusual('FEFF', 'is invisible')]],
  ['k3y\t0815', 'k3y\t0815', [unusual('0009', 'is invisible')]],
  ['k3y\u00a00815', 'k3y\u00a00815', [unusual('00A0', 'looks like a space')]],
  ['kéy-0815', 'kéy-0815', [unusual('00E9', 'is not an ASCII character')]],
  ['"', '"', [SHORT]],
  ['abc', 'abc', [SHORT]],
  ['abcd', 'abcd', []],
])('%j -> %j, with remarks that do not show it', (given, apiKey, remarks) => {
  const reported: string[] = [];
  expect(readApiKey(given, (remark) => reported.push(remark))).toBe(apiKey);
  expect(reported).toEqual(remarks);
});
