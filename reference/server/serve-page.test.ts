import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { formsMiddleware } from '../forms/wear-forms.ts';
import { createApp } from './app.ts';
import { buyAmountAtMid } from './appraise.ts';
import type { ReferenceOptions } from './options.ts';
import type { Page, PlannedTrade } from './page.ts';
import {
  CALLDATA,
  doublePlanner,
  KEY,
  SMALL_MARKET,
  spellingEncoders,
  swapQuery,
  USD,
  USER,
  WETH,
} from './small-market.testing.ts';

const settled: PlannedTrade[] = [];
const PAGE: Page = {
  files: new Map([['/', { type: 'text/html; charset=utf-8', body: '<!doctype html>' }]]),
  whyUnsettled: () => 'no node of it',
  settle: async (trade) => {
    settled.push(trade);
    return { kind: 'settled' };
  },
  close: async () => {},
};

function serve(options: ReferenceOptions = {}) {
  const markets = [SMALL_MARKET];
  const own = { markets, apiKeys: [KEY], planner: doublePlanner, encoders: spellingEncoders };
  return request(createApp({ page: PAGE, ...own, ...options }).callback());
}

describe('the page at /', () => {
  test('GET and HEAD -> the file, under a policy that lets in its own origin alone', async () => {
    const { status, text, headers } = await serve().get('/');
    expect([status, text]).toEqual([200, '<!doctype html>']);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect((await serve().head('/')).status).toBe(200);
    expect((await serve().post('/')).headers['allow']).toBe('GET, HEAD');
  });

  test('a service without a page, and any other path -> 404 with an Error body', async () => {
    const without = request(createApp({ markets: [SMALL_MARKET] }).callback());
    for (const reply of [
      await without.get('/'),
      await serve().get('/page'),
      await serve().get('/page/../x'),
    ]) {
      expect([reply.status, reply.body.error]).toEqual([404, 'NOT_FOUND']);
    }
  });

  test('replies that wear forms -> the page does not', async () => {
    const middleware = [formsMiddleware(['spread-json'])];
    expect((await serve({ middleware }).get('/')).text).toBe('<!doctype html>');
    expect((await serve({ middleware }).get('/nowhere')).text).toMatch(/^\n/);
  });

  test('an appraisal -> what the plan would buy at mid prices, its block, why it cannot be settled', async () => {
    const { status, body } = await serve().get(`/page/appraisal?${swapQuery()}`);
    expect(status).toBe(200);
    // 2000 USD of 6 decimals for one WETH of 18.
    expect(body.buyAmountAtMid).toBeCloseTo(1000 * 2000e-12, 15);
    expect(body).toMatchObject({ block: { number: 7 }, whyUnsettled: 'no node of it' });
    expect(body).not.toHaveProperty('gap');
  });

  test('a settlement -> the plan with calldata and its query, without the key', async () => {
    settled.length = 0;
    const { body } = await serve().get(`/page/settlement?${swapQuery(CALLDATA)}`);
    expect(body).toEqual({ kind: 'settled' });
    expect(JSON.parse(settled[0]?.plan ?? '').calldata).toMatch(/^0x/);
    expect(settled[0]?.query.get('userAddress')).toBe(USER);
    expect(JSON.stringify([...(settled[0]?.query ?? [])])).not.toContain(KEY);
    expect(settled[0]?.chainInfo).toMatchObject({ chainId: 31337 });
  });

  test.each(['appraisal', 'settlement'])(
    'a wrong key, a wrong query, another method on %s -> refused as /swap does',
    async (path) => {
      settled.length = 0;
      const wrong = await serve().get(`/page/${path}?${swapQuery({ apiKey: 'demo' })}`);
      expect([wrong.status, wrong.body.error]).toEqual([400, 'UNKNOWN_API_KEY']);
      const zero = await serve().get(`/page/${path}?${swapQuery({ sellAmount: '0' })}`);
      expect([zero.status, zero.body.details.parameter]).toEqual([400, 'sellAmount']);
      expect((await serve().get(`/page/${path}?x=%ZZ`)).status).toBe(400);
      expect((await serve().post(`/page/${path}?${swapQuery()}`)).status).toBe(405);
      expect(settled).toEqual([]);
    },
  );
});

test('a plan that splits, and joins again -> parts of each token at the mid price of their pools', () => {
  const plan = doublePlanner(SMALL_MARKET, {
    sellToken: WETH,
    buyToken: USD,
    swapKind: 'exact-input',
    amount: 100n,
    constraints: { sources: new Set(), topology: 'graph' },
  });
  if (plan.kind !== 'plan') throw new Error('no plan');
  const [swap] = plan.swaps;
  if (swap === undefined) throw new Error('no swap');
  const half = { ...swap, amountIn: 50n };
  expect(buyAmountAtMid({ ...plan, swaps: [half, half] })).toBeCloseTo(100 * 2000e-12, 15);
});
