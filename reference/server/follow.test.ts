import request from 'supertest';
import { expect, test } from 'vitest';
import type { Market, MarketChange } from '../market/market.ts';
import { createApp } from './app.ts';
import { SMALL_MARKET, USD, WETH } from './small-market.testing.ts';

const TARGET = `/api/v1.0/swap?chainId=31337&sellToken=${WETH}&buyToken=${USD}&sellAmount=1000000000000000000&router=universal-router&apiKey=demo`;

test('a market that moves, is lost, and returns -> new plans, then 500, then plans again', async () => {
  let change: (change: MarketChange) => void = () => {};
  const app = createApp({
    markets: [SMALL_MARKET],
    follow: (onChange) => {
      change = onChange;
    },
  });
  const get = () => request(app.callback()).get(TARGET);

  const before = (await get()).body.buy.amount as string;
  expect((await get()).body.buy.amount).toBe(before);

  const deeper: Market = {
    ...SMALL_MARKET,
    pools: SMALL_MARKET.pools.map((pool) =>
      pool.family === 'constant-product' ? { ...pool, reserve1: 2n * pool.reserve1 } : pool,
    ),
  };
  change({ kind: 'moved', chainId: 31337, market: deeper });
  const after = (await get()).body.buy.amount as string;
  expect(Number(after) / Number(before)).toBeCloseTo(2, 5);

  change({ kind: 'lost', chainId: 31337, why: 'it cannot be reached' });
  const lost = await get();
  expect([lost.status, lost.body.error, lost.headers['retry-after']]).toEqual([
    500,
    'MARKET_LOST',
    '5',
  ]);
  const tokens = `/api/v1.0/tokens?chainId=31337&apiKey=demo`;
  expect((await request(app.callback()).get(tokens)).status).toBe(200);

  change({ kind: 'moved', chainId: 31337, market: deeper });
  expect((await get()).body.buy.amount).toBe(after);
});
