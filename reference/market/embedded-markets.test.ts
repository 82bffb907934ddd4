import { describe, expect, test } from 'vitest';
import { tokensOf } from '../planner/pools/pool.ts';
import { usdPrices } from '../planner/prices/usd-prices.ts';
import { loadEmbeddedMarkets } from './embedded-markets.ts';

describe('loadEmbeddedMarkets', () => {
  test('the package -> chains 31337 and 31338', () => {
    expect(loadEmbeddedMarkets().map(({ chainId }) => chainId)).toEqual([31337, 31338]);
  });

  test('every token that a pool trades -> a price above 0; other tokens -> 0', () => {
    for (const market of loadEmbeddedMarkets()) {
      const traded = new Set(market.pools.flatMap((pool) => tokensOf(pool)));
      const priced = [...usdPrices(market)].filter(([, price]) => price > 0);
      expect(new Set(priced.map(([token]) => token))).toEqual(traded);
    }
  });
});
