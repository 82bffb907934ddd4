import request from 'supertest';
import { getAddress, type Hex, recoverAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import type { SwapResponse } from '../../conformance/contract/resources.ts';
import type { Maker } from '../makers/maker.ts';
import { hashOrder } from '../makers/sign-order.ts';
import { TEST_MAKER, testMakers } from '../makers/test-maker.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Address } from '../planner/domain/address.ts';
import { MAKER_SOURCE } from '../planner/pools/maker-order.ts';
import { createApp, type ReferenceOptions } from './app.ts';

const markets = loadEmbeddedMarkets();
const symbols = new Map([...(markets[0]?.tokens.values() ?? [])].map((t) => [t.symbol, t.address]));

const SALE = {
  chainId: '31337',
  sellToken: symbols.get('USDC') ?? '',
  buyToken: symbols.get('WETH') ?? '',
  sellAmount: '3000000000',
  apiKey: 'demo',
};

function serve(options: ReferenceOptions = {}) {
  const callback = createApp({ markets, ...options }).callback();
  return async (more: Readonly<Record<string, string>>): Promise<SwapResponse> => {
    const query = { ...SALE, ...more };
    const { body, status } = await request(callback).get('/api/v1.0/swap').query(query);
    expect(status).toBe(200);
    return body;
  };
}

function countRequests(onRequest = () => {}) {
  const [maker] = testMakers() as [Maker];
  let count = 0;
  const counted: Maker = {
    ...maker,
    quote: (...about) => {
      count += 1;
      onRequest();
      return maker.quote(...about);
    },
  };
  return { maker: counted, requests: () => count };
}

const USER = `0x${'a1'.repeat(20)}`;

const ordersIn = ({ routes }: SwapResponse) => routes.filter(({ name }) => name === MAKER_SOURCE);

function hashOf(details: Readonly<Record<string, string>>): Hex {
  const { deadline: expiry, nonce: salt, makerAmount, takerAmount, ...addresses } = details;
  const amounts = Object.entries({ expiry, salt, makerAmount, takerAmount });
  const order = {
    ...addresses,
    ...Object.fromEntries(amounts.map(([name, value]) => [name, BigInt(value as string)])),
  };
  const makerOrders = markets[0]?.makerOrders as Address;
  return hashOrder({ chainId: 31337, makerOrders }, order as never);
}

describe('useRfq', () => {
  const getPlan = serve();

  test('useRfq=true -> the plan also contains signed orders, and buys more', async () => {
    const [without, plan] = [await getPlan({}), await getPlan({ useRfq: 'true' })];
    expect(ordersIn(plan).length).toBeGreaterThan(0);
    for (const { details } of ordersIn(plan)) {
      expect(details).toMatchObject({
        takerToken: symbols.get('USDC'),
        makerToken: symbols.get('WETH'),
      });
      const { maker, signature } = details as { maker: Hex; signature: Hex };
      expect(await recoverAddress({ hash: hashOf(details as never), signature })).toBe(
        getAddress(maker),
      );
    }
    expect(BigInt(plan.buy.amount)).toBeGreaterThan(BigInt(without.buy.amount));
    expect(await getPlan({ useRfq: 'true' })).toEqual(plan);
  });

  test('useRfq=false or no useRfq -> no orders', async () => {
    const plan = await getPlan({});
    expect(ordersIn(plan)).toEqual([]);
    expect(await getPlan({ useRfq: 'false' })).toEqual(plan);
  });

  test('useRfq=true for a router that cannot settle orders -> no orders', async () => {
    const router = 'universal-router';
    expect(await getPlan({ router, useRfq: 'true' })).toEqual(await getPlan({ router }));
  });

  test('a trade and its reverse -> no profit', async () => {
    const there = await getPlan({ useRfq: 'true' });
    const [sellToken, buyToken] = [symbols.get('WETH') ?? '', symbols.get('USDC') ?? ''];
    const sides = { sellToken, buyToken, sellAmount: there.buy.amount };
    const back = await getPlan({ ...sides, useRfq: 'true' });
    expect(BigInt(back.buy.amount)).toBeLessThan(3_000_000_000n);
  });
});

test('an order at an extreme price, smaller than the trade -> the same plan as without the order', async () => {
  const [sellToken, buyToken] = [symbols.get('USDT'), symbols.get('ARC')] as [Address, Address];
  const strange: Maker = {
    chainId: 31337,
    quote: async ({ taker }, { block }) => {
      const tokens = { takerToken: sellToken, makerToken: buyToken };
      const amounts = { takerAmount: 119n * 10n ** 19n + 1n, makerAmount: 3762148164574392338482n };
      const terms = { maker: taker, taker, expiry: BigInt(block.timestamp + 300), salt: 0n };
      return [{ order: { ...tokens, ...amounts, ...terms }, signature: `0x${'1b'.repeat(65)}` }];
    },
  };
  const getPlan = serve({ makers: [strange] });
  const sides = { sellToken, buyToken, sellAmount: `${10n ** 22n}` };
  expect(await getPlan({ ...sides, useRfq: 'true' })).toEqual(await getPlan(sides));
});

test('orders that are two seconds old -> requested again', async () => {
  let now = 1_900_000_000_000;
  const { maker, requests } = countRequests();
  const getPlan = serve({ makers: [maker], clock: () => now });
  await getPlan({ useRfq: 'true' });
  now += 1_999;
  await getPlan({ useRfq: 'true' });
  expect(requests()).toBe(1);
  now += 1;
  await getPlan({ useRfq: 'true' });
  expect(requests()).toBe(2);
});

test('orders of a slow maker -> their age counts from the request', async () => {
  let now = 1_900_000_000_000;
  const { maker, requests } = countRequests(() => {
    now += 1_500;
  });
  const getPlan = serve({ makers: [maker], clock: () => now });
  await getPlan({ useRfq: 'true' });
  now += 500;
  await getPlan({ useRfq: 'true' });
  expect(requests()).toBe(2);
});

test('simultaneous equal trades -> one request to each maker', async () => {
  const { maker, requests } = countRequests();
  const getPlan = serve({ makers: [maker] });
  const plans = await Promise.all(Array.from({ length: 4 }, () => getPlan({ useRfq: 'true' })));
  expect(requests()).toBe(1);
  expect(new Set(plans.map((plan) => JSON.stringify(plan))).size).toBe(1);
});

test('a maker whose order the plan fills, as payer or recipient -> rejected; without makers -> accepted', async () => {
  const callback = createApp({ markets }).callback();
  const send = async (more: Readonly<Record<string, string>>) => {
    const calldata = { includeCalldata: 'true', slippageTolerance: '0.01', userAddress: USER };
    const query = { ...SALE, useRfq: 'true', ...calldata, ...more };
    const { status, body } = await request(callback).get('/api/v1.0/swap').query(query);
    return [status, body.details?.parameter];
  };
  expect(await send({})).toEqual([200, undefined]);
  expect(await send({ userAddress: TEST_MAKER })).toEqual([400, 'userAddress']);
  expect(await send({ recipientAddress: TEST_MAKER })).toEqual([400, 'recipientAddress']);
  expect(await send({ recipientAddress: TEST_MAKER, useRfq: 'false' })).toEqual([200, undefined]);
});

test('a trade rejected because of load -> no request to a maker', async () => {
  const { maker, requests } = countRequests();
  const options = { markets, makers: [maker], maxQueued: 0 };
  const query = { ...SALE, useRfq: 'true' };
  const rejection = request(createApp(options).callback()).get('/api/v1.0/swap').query(query);
  expect(await rejection).toMatchObject({ status: 500, headers: { 'retry-after': '1' } });
  expect(requests()).toBe(0);
});
