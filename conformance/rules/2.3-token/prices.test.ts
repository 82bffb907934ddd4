import { describe, expect, test } from 'vitest';
import type { Asset, Facts } from '../../discovery/facts.ts';
import {
  given,
  goldenFacts,
  goldenSwap,
  NATIVE,
  USD,
  verdictOn,
  WRAPPED,
} from '../golden.testing.ts';
import { modelFacts } from '../model-service.testing.ts';

const asset = (address: string, usdPrice: number | undefined, native = false): Asset => ({
  ...{ address, usdPrice, native },
  symbol: 'T',
  decimals: 18,
});

/** What discovery told: the wrapped native token at 4,000 USD. */
function factsWith(nativeTokenUsdPrice: number | undefined, sides: readonly Asset[]): Facts {
  const market = modelFacts.markets.get(31337);
  if (market === undefined) throw new Error('the model has no market');
  const [sell, buy] = sides;
  if (sell === undefined || buy === undefined) throw new Error('a pair has two sides');
  const pairs = [{ sell, buy, sellAmount: 1n, buyAmount: 1n }];
  return { ...goldenFacts, markets: new Map([[31337, { ...market, pairs, nativeTokenUsdPrice }]]) };
}

const known = () => factsWith(4_000, [asset(WRAPPED, 4_000), asset(USD, undefined)]);
const planAt = (price: number) => {
  const plan = goldenSwap();
  plan.nativeTokenUsdPrice = price;
  plan.tokens[2].usdPrice = price;
  return plan;
};

describe.each(['token/usd-price-steady', 'swap-response/native-price-steady'])('%s', (id) => {
  test.each([
    [2_000, true],
    [4_000, true],
    [8_000, true],
    [1_999, false],
    [8_001, false],
    [0, false],
    [-4_000, false],
  ])('4,000 before, %d now -> holds: %s', (price, holds) => {
    const verdict = verdictOn(id, given(planAt(price), { facts: known() }));
    expect(verdict?.findings.length).toBe(holds ? 0 : 1);
  });

  test('nothing told before, or no number now -> nothing to judge', () => {
    const unknown = factsWith(undefined, [asset(WRAPPED, undefined), asset(NATIVE, 9, true)]);
    for (const facts of [unknown, goldenFacts, undefined]) {
      expect(verdictOn(id, given(planAt(1), { facts }))).toBeUndefined();
    }
    const plan = planAt(1);
    plan.nativeTokenUsdPrice = '1';
    plan.tokens[2].usdPrice = null;
    expect(verdictOn(id, given(plan, { facts: known() }))).toBeUndefined();
  });
});

describe('token/usd-price-steady', () => {
  test('each token by its own price, wherever it stands', () => {
    const facts = factsWith(4_000, [asset(WRAPPED, 4_000), asset(USD, 1)]);
    const plan = planAt(4_000);
    plan.tokens[1].usdPrice = 1_000;
    const verdict = verdictOn('token/usd-price-steady', given(plan, { facts }));
    expect(verdict?.findings.map(({ pointer, expected }) => [pointer, expected])).toEqual([
      ['/tokens/1/usdPrice', 'about 1, as an earlier plan told'],
    ]);
  });
});
