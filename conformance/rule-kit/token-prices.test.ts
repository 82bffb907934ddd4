import { expect, test } from 'vitest';
import { BOUGHT, inCapitals, NATIVE, SOLD, USD } from '../model/golden-addresses.ts';
import { given, goldenSwap } from '../model/golden-replies.testing.ts';
import { modelFacts, modelMarket } from '../model/model-market.testing.ts';
import { isSteadyPrice, priceOf, pricesKnownBefore } from './token-prices.ts';

const [pair] = modelMarket.pairs;
if (pair === undefined) throw new Error('the model has no pair');
const priced = (address: string, usdPrice: number | undefined, native = false) => ({
  ...pair.sell,
  address,
  usdPrice,
  native,
});
/** Returns a new object for each call, since the code memoizes values derived from an object. */
const learned = () => ({
  facts: {
    ...modelFacts,
    markets: new Map([
      [
        31337,
        {
          ...modelMarket,
          pairs: [
            { ...pair, sell: priced(inCapitals(SOLD), 2), buy: priced(USD, 3) },
            { ...pair, sell: priced(BOUGHT, undefined), buy: priced(NATIVE, 5, true) },
          ],
        },
      ],
    ]),
  },
});

test('tokens with a price in an earlier plan -> both prices', () => {
  const found = pricesKnownBefore(given(goldenSwap(), learned()));
  expect(found.map(({ pointer, value, known }) => [pointer, value, known])).toEqual([
    ['/tokens/0/usdPrice', 0.9985832349359104, 2],
    ['/tokens/1/usdPrice', 1, 3],
  ]);
  expect(pricesKnownBefore(given(goldenSwap(), { facts: undefined }))).toEqual([]);
});

test('a price that is not a number -> not compared', () => {
  const body = goldenSwap();
  body.tokens[0].usdPrice = '1';
  expect(pricesKnownBefore(given(body, learned())).map(({ pointer }) => pointer)).toEqual([
    '/tokens/1/usdPrice',
  ]);
});

test('priceOf: the price of the token at an address, in any letter case', () => {
  const input = given(goldenSwap());
  expect(priceOf(input, inCapitals(USD))).toMatchObject([
    { value: 1, pointer: '/tokens/1/usdPrice' },
  ]);
  expect(priceOf(input, NATIVE)).toEqual([]);
  expect(priceOf(input, undefined)).toEqual([]);
});

test.each([
  [0.5, true],
  [2, true],
  [0.499, false],
  [2.001, false],
])('a price %s times as high is steady: %s', (times, isSteady) => {
  expect(isSteadyPrice(times * 7, 7)).toBe(isSteady);
});
