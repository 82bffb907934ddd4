import { expect, test } from 'vitest';
import { KEY_PLACEHOLDER, type Query, readQuery, writeTarget } from '../client/request.ts';
import { PERCENT_ENCODED, percentEncode, recased, reversed, SEPARATED } from './spellings.ts';

const QUERY: Query = [
  ['chainId', '1'],
  ['sellToken', `0x${'aB'.repeat(20)}`],
  ['slippageTolerance', '0.01'],
];
const inOrder = (query: Query) => [...query].sort();
const read = inOrder([...QUERY, ['apiKey', KEY_PLACEHOLDER]]);

test.each([...PERCENT_ENCODED, reversed, ...Object.values(SEPARATED)].map((spell) => [spell]))(
  'spelling %# -> other bytes, which say the same',
  (spell) => {
    const target = writeTarget(spell(QUERY));
    expect(target).not.toBe(writeTarget({ path: '/api/v1.0/swap', query: QUERY }));
    expect(inOrder(readQuery(target))).toEqual(read);
  },
);

test.each([
  [{ every: 1, parts: ['value'] as const }, 'chainId=%31'],
  [{ every: 7, parts: ['name'] as const }, '%63hainId=1'],
  [{ every: 3, inLowerCase: true }, '%63ha%69nI%64=%31'],
])('percentEncode(%j) -> %s', (encoding, expected) => {
  expect(percentEncode([['chainId', '1']], encoding)).toBe(expected);
  expect(percentEncode([['k', '/']], { every: 1, inLowerCase: true })).toBe('%6b=%2F');
});

test('recased -> addresses alone', () => {
  expect(recased(QUERY, 'upper')[1]).toEqual(['sellToken', `0x${'AB'.repeat(20)}`]);
  expect(recased(QUERY, 'lower')).toEqual([
    QUERY[0],
    ['sellToken', `0x${'ab'.repeat(20)}`],
    QUERY[2],
  ]);
});
