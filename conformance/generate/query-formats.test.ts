import { expect, test } from 'vitest';
import { KEY_PLACEHOLDER, type Query, readQuery, writeTarget } from '../client/request.ts';
import {
  EXTRA_SEPARATORS,
  inLetterCase,
  inReverseOrder,
  PERCENT_ENCODED,
  percentEncode,
} from './query-formats.ts';

const QUERY: Query = [
  ['chainId', '1'],
  ['sellToken', `0x${'aB'.repeat(20)}`],
  ['slippageTolerance', '0.01'],
];
const inOrder = (query: Query) => [...query].sort();
const read = inOrder([...QUERY, ['apiKey', KEY_PLACEHOLDER]]);

test.each(
  [...PERCENT_ENCODED, inReverseOrder, ...Object.values(EXTRA_SEPARATORS)].map((format) => [
    format,
  ]),
)('format %# -> different bytes, same parameters', (format) => {
  const target = writeTarget(format(QUERY));
  expect(target).not.toBe(writeTarget({ path: '/api/v1.0/swap', query: QUERY }));
  expect(inOrder(readQuery(target))).toEqual(read);
});

test.each([
  [{ every: 1, parts: ['value'] as const }, 'chainId=%31'],
  [{ every: 7, parts: ['name'] as const }, '%63hainId=1'],
  [{ every: 3, inLowerCase: true }, '%63ha%69nI%64=%31'],
])('percentEncode(%j) -> %s', (encoding, expected) => {
  expect(percentEncode([['chainId', '1']], encoding)).toBe(expected);
  expect(percentEncode([['k', '/']], { every: 1, inLowerCase: true })).toBe('%6b=%2F');
});

test('inLetterCase -> only addresses change', () => {
  expect(inLetterCase(QUERY, 'upper')[1]).toEqual(['sellToken', `0x${'AB'.repeat(20)}`]);
  expect(inLetterCase(QUERY, 'lower')).toEqual([
    QUERY[0],
    ['sellToken', `0x${'ab'.repeat(20)}`],
    QUERY[2],
  ]);
});
