import { describe, expect, test } from 'vitest';
import { networkOf } from '../../../scripts/bench/networks.ts';
import { planFor } from '../routing.testing.ts';
import { boundOf, leastFor } from './exact-input.ts';

describe('lines that hold up to an input', () => {
  const near = { price: 2, profit: 10, upTo: 100 };
  const anywhere = { price: 1, profit: 60, upTo: Number.POSITIVE_INFINITY };

  test.each([
    ['of two the higher', 40, 100],
    ['at their end', 100, 210],
    ['beyond', 101, Number.POSITIVE_INFINITY],
  ])('%s -> what plans buy at most', (_, amount, most) => {
    expect(boundOf([near, anywhere], amount)).toBe(most);
  });

  test.each([
    ['of two the lesser', 110, 50],
    ['of more than one of them tells of', 500, 100],
    ['that pools gain for nothing', 5, 0],
  ])('an output %s -> what plans sell at least', (_, output, least) => {
    expect(leastFor([near, anywhere], output)).toBe(least);
  });
});

test('more than pools can take, where circles of trades pay -> a bound of the whole amount', () => {
  const { market, unitsFor } = networkOf({ pools: 100, tokens: 20, seed: 401, mispricing: 2 });
  const [sellToken, buyToken] = [0, 3].map((index) => [...market.tokens.keys()][index]);
  if (sellToken === undefined || buyToken === undefined) throw new Error('no tokens');
  const proofAt = (dollars: number) => {
    const pair = { sellToken, buyToken };
    const found = planFor(market, 'exact-input', unitsFor(sellToken, dollars), pair);
    if (found.kind !== 'plan') throw new Error(found.reason);
    expect(found.proof.gap).toBeLessThan(1e-6);
    expect(found.proof.gap).toBeGreaterThan(0);
    return found.proof.bound;
  };
  expect(proofAt(1e14)).toBeGreaterThan(proofAt(1e12));
});
