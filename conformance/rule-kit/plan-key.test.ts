import { expect, test } from 'vitest';
import type { Change } from '../model/breaks.ts';
import { BOUGHT, inCapitals, NATIVE, SOLD, USD, WRAPPED } from '../model/golden-addresses.ts';
import { given, goldenSwap, type Loose } from '../model/golden-replies.testing.ts';
import { applyChange } from './broken-replies.testing.ts';
import { amountsOf, formOf, planKey } from './plan-key.ts';

function exchangeWith(...changes: readonly Change[]) {
  const body = goldenSwap();
  for (const change of changes) applyChange(body, change);
  return given(body).exchange;
}

const keyWith = (...changes: readonly Change[]) => planKey(exchangeWith(...changes));
const ALIAS = `0x${'e'.repeat(40)}`;
const addLegAtEachEndOfFirstRoute = (body: Loose) => {
  body.routes[0].fromTokens.push({ referenceId: 1, amount: '12' });
  body.routes[0].toTokens.push({ referenceId: 7, amount: '34' });
};
const reverseLegs = (body: Loose) => {
  body.routes[0].fromTokens.reverse();
  body.routes[0].toTokens.reverse();
};

test.each<[string, readonly Change[], readonly Change[]]>([
  ['routes in another order', [(body) => body.routes.reverse()], []],
  [
    'legs in another order',
    [addLegAtEachEndOfFirstRoute, reverseLegs],
    [addLegAtEachEndOfFirstRoute],
  ],
  ['tokens in capitals', [{ '/tokens/0/address': inCapitals(SOLD) }], []],
  [
    'pools in capitals',
    [{ '/routes/0/address': ALIAS.toUpperCase().replace('X', 'x') }],
    [{ '/routes/0/address': ALIAS }],
  ],
  [
    'the native token by its other alias',
    [{ '/tokens/2/address': ALIAS }],
    [{ '/tokens/2/address': NATIVE }],
  ],
  [
    'prices, router, calldata',
    [{ '/nativeTokenUsdPrice': 1 }, { '/router': 'x' }, { '/calldata': '0x' }],
    [],
  ],
])('%s -> the same key', (_what, changes, plain) => {
  expect(keyWith(...changes)).toBe(keyWith(...plain));
});

test.each<[string, Change]>([
  ['another pool', { '/routes/0/address': ALIAS }],
  ['a pool without address', { '/routes/0/address': undefined }],
  ['another token', { '/tokens/0/address': WRAPPED }],
  ['one base unit more in a leg', { '/routes/0/toTokens/0/amount': '1034955025987043448357' }],
  ['one base unit more sold', { '/sell/amount': '10000000000000000000001' }],
  ['one more leg', addLegAtEachEndOfFirstRoute],
  ['one route fewer', (body) => body.routes.pop()],
])('%s -> another key', (_what, change) => expect(keyWith(change)).not.toBe(keyWith()));

test('two legs -> a different key than one leg whose amount joins the digits of both', () => {
  const joined = { '/routes/0/toTokens/0/amount': '103495502598704344835634' };
  expect(keyWith(addLegAtEachEndOfFirstRoute)).not.toBe(
    keyWith(addLegAtEachEndOfFirstRoute, joined),
  );
  expect(keyWith(addLegAtEachEndOfFirstRoute)?.split('\n')).toContain(
    `"0x1${'7'.repeat(39)}": "${WRAPPED}" 2162884172944070813+"${USD}" 12 > "${SOLD}" 34+"${BOUGHT}" 1034955025987043448356`,
  );
});

test('formOf -> the key without amounts, the same for every size of a trade', () => {
  const larger = [{ '/sell/amount': '5' }, { '/routes/1/fromTokens/0/amount': '123456' }];
  expect(formOf(keyWith(...larger))).toBe(formOf(keyWith()));
  expect(formOf(keyWith())).not.toMatch(/ [0-9]/);
  expect(formOf(keyWith(addLegAtEachEndOfFirstRoute))).not.toBe(formOf(keyWith()));
  expect(formOf()).toBe('');
});

test('amountsOf -> the amounts of both sides and of every leg', () => {
  expect(amountsOf(exchangeWith())).toEqual({
    sold: 10_000_000_000_000_000_000_000n,
    bought: 1_034_955_025_987_043_448_356n,
    legs: [
      2_162_884_172_944_070_813n,
      1_034_955_025_987_043_448_356n,
      10_000_000_000_000_000_000_000n,
      9_980_414_364n,
      9_980_414_291n,
      2_162_884_170_453_897_195n,
    ],
  });
});

test('no plan -> no key, no amounts', () => {
  const none = exchangeWith({ '/sell': undefined });
  expect([planKey(none), amountsOf(none)]).toEqual([undefined, undefined]);
});
