import { expect, test } from 'vitest';
import { readApiKey } from './api-key.ts';

const [LINE_BREAK, SPACE, SHORT] = [
  'the API key began or ended with a line break, which was removed',
  'the API key begins or ends with a space, which is sent as part of the key: remove it',
  'the API key has fewer than 4 characters: it is redacted only where it is a whole word or a parameter value',
];
const inQuotes = (quote: string) =>
  `the API key is in quotes (${quote}), which are sent as part of the key: remove them`;

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
  ['"', '"', [SHORT]],
  ['abc', 'abc', [SHORT]],
  ['abcd', 'abcd', []],
])('%j -> %j, with remarks that do not show it', (given, apiKey, remarks) => {
  const reported: string[] = [];
  expect(readApiKey(given, (remark) => reported.push(remark))).toBe(apiKey);
  expect(reported).toEqual(remarks);
});
