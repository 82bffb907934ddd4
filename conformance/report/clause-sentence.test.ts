import { expect, test } from 'vitest';
import { CLAUSES } from '../contract/clauses.ts';
import { clauseSentence } from './clause-sentence.ts';

test.each([
  ['All operations use HTTP GET', 'All operations use HTTP GET'],
  ['chainId | integer | yes', '`chainId` (integer, required)'],
  ['usdPrice | number | yes | Current price', '`usdPrice` (number, required): Current price'],
  [
    'calldata | string | only when `includeCalldata=true` | Calldata',
    '`calldata` (string, only when `includeCalldata=true`): Calldata',
  ],
  [
    'useRfq | boolean | no | false | Whether to use RFQ',
    '`useRfq` (boolean, optional, default false): Whether to use RFQ',
  ],
  ['400 | Invalid parameters | Error', 'Status 400: Invalid parameters. Body: Error'],
  ['Token decimals | 0 to 18', 'Token decimals: 0 to 18'],
])('%s -> %s', (words, sentence) => {
  expect(clauseSentence(words)).toBe(sentence);
});

test('any clause -> no table row, every word of it', () => {
  for (const { words } of CLAUSES) {
    const sentence = clauseSentence(words);
    expect(sentence).not.toContain('|');
    for (const cell of words.split(' | ').filter((each) => !/^(yes|no)\b/.test(each))) {
      expect(sentence).toContain(cell);
    }
  }
});
