import request from 'supertest';
import { expect, test } from 'vitest';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { MarketChange } from '../market/market.ts';
import { createApp } from './app.ts';
import type { ReferenceOptions } from './options.ts';
import { createServiceMetrics } from './service-metrics.ts';

const markets = loadEmbeddedMarkets().slice(1);
const [market] = markets as [(typeof markets)[0]];
const [sellToken, buyToken] = [market.usdToken, market.wrappedNative];
const NOW_S = market.block.timestamp + 30;

function serve(options: ReferenceOptions = {}) {
  const metrics = createServiceMetrics(() => NOW_S * 1000);
  const callback = createApp({ markets, metrics, ...options }).callback();
  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    request(callback)
      .get(path)
      .query({ apiKey: 'demo', ...query });
  const trade = () =>
    get('/api/v1.0/swap', {
      chainId: `${market.chainId}`,
      sellToken,
      buyToken,
      sellAmount: `${10n ** 21n}`,
    });
  return { metrics, get, trade, text: () => metrics.registry.metrics() };
}

const line = (name: string, labels: string, value: number) =>
  `swapcheck_reference_${name}${labels && `{${labels}}`} ${value}\n`;

test('requests -> counted by operation and status, trades with what planning took and how good they are', async () => {
  const { get, trade, text } = serve();
  await get('/api/v1.0/chains');
  await get('/api/v1.0/chains');
  await get('/api/v1.0/chains', { apiKey: 'wrong' });
  await get('/elsewhere/of/a-secret');
  expect((await trade()).status).toBe(200);
  // A reply is over a little after its client has it.
  await expect.poll(text).toContain(line('requests_total', 'operation="swap",status="200"', 1));
  const figures = await text();
  expect(figures).toContain(line('requests_total', 'operation="chains",status="200"', 2));
  expect(figures).toContain(line('requests_total', 'operation="chains",status="400"', 1));
  expect(figures).toContain(line('requests_total', 'operation="none",status="404"', 1));
  expect(figures).toContain(line('request_seconds_count', 'operation="swap"', 1));
  expect(figures).toContain(line('planning_seconds_count', '', 1));
  expect(figures).toContain(line('plan_gap_ratio_bucket', 'le="0.001"', 1));
  expect(figures).toContain(line('queued', '', 0));
  expect(figures).not.toContain('secret');
  expect(figures).not.toContain('wrong');
});

test('a trade refused for load -> shed', async () => {
  const { trade, text } = serve({ planningLimits: { maxQueued: 0 } });
  expect((await trade()).status).toBe(500);
  const figures = await text();
  expect(figures).toContain(line('shed_total', '', 1));
  expect(figures).toContain(line('planning_seconds_count', '', 0));
});

test('a market -> its age, lost or not', async () => {
  let change: (change: MarketChange) => void = () => {};
  const { text } = serve({ follow: (onChange) => (change = onChange) });
  const chain = `chain="${market.chainId}"`;
  expect(await text()).toContain(line('market_age_seconds', chain, 30));
  change({ kind: 'lost', chainId: market.chainId, why: 'old' });
  expect(await text()).toContain(line('market_lost', chain, 1));
  const block = { ...market.block, timestamp: NOW_S - 2 };
  change({ kind: 'moved', chainId: market.chainId, market: { ...market, block } });
  expect(await text()).toContain(line('market_lost', chain, 0));
  expect(await text()).toContain(line('market_age_seconds', chain, 2));
});
