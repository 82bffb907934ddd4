import { createRequire } from 'node:module';
import {
  type Abi,
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  toHex,
} from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveRouters } from '../encoding/encoders.ts';
import { graphRouter } from '../encoding/graph-router.ts';
import { ANYONE } from '../makers/maker.ts';
import { withQuotes } from '../makers/request-quotes.ts';
import { hashOrder, signOrder } from '../makers/sign-order.ts';
import { testMakers } from '../makers/test-maker.ts';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import type { RoutingPlan, SwapAmount } from '../planner/graph/plan.ts';
import { createPlanner } from '../planner/planner.ts';
import {
  type MakerOrder,
  type MakerOrderPool,
  makerOrder,
  poolOf,
} from '../planner/pools/maker-order.ts';
import {
  addressOf,
  deploymentOf,
  expectExact,
  GRAPH_ROUTERS,
  settle,
} from './settlement.testing.ts';
import { startTestChain, type TestChain } from './test-chain.testing.ts';

const planner = createPlanner();

const require = createRequire(import.meta.url);
const { abi } = require('#fixtures/bytecode/maker-orders.json') as { abi: Abi };

const USER = parseAddress(`0x${'5e11e4'.padStart(40, '0')}`);
const KEY = `0x${'a5'.repeat(32)}` as const;
const MAKER = parseAddress(privateKeyToAddress(KEY));
const OTHER_KEY = `0x${'b6'.repeat(32)}` as const;
const SOLD = 1_000_000n;
const BOUGHT = 2_345_678n;

let chain: TestChain;
let makerOrders: Address;
let usdc: Address;
let dai: Address;

beforeAll(async () => {
  chain = await startTestChain();
  makerOrders = chain.market.makerOrders as Address;
  [usdc, dai] = [addressOf(chain.market, 'USDC'), addressOf(chain.market, 'DAI')];
  await chain.deal(dai, MAKER, BOUGHT * 10n);
  await chain.approve(dai, MAKER, makerOrders);
});
afterAll(() => chain?.node.stop());

type Changes = {
  readonly order?: Partial<MakerOrder>;
  readonly tampered?: Partial<MakerOrder>;
  readonly chainId?: number;
  readonly key?: Hex;
};

async function planOf(
  { order: changes = {}, tampered = {}, chainId = 31337, key = KEY }: Changes = {},
  { swapKind = 'exact-input' }: Partial<SwapAmount> = {},
): Promise<RoutingPlan> {
  const signed: MakerOrder = {
    maker: MAKER,
    taker: ANYONE,
    makerToken: dai,
    takerToken: usdc,
    makerAmount: BOUGHT,
    takerAmount: SOLD,
    expiry: 1n << 40n,
    salt: 7n,
    ...changes,
  };
  const signature = await signOrder({ chainId, makerOrders }, signed, key);
  const order = { ...signed, ...tampered };
  const pool = poolOf(makerOrders, order, signature);
  const trade = { tokenIn: usdc, tokenOut: dai, amountIn: SOLD, amountOut: BOUGHT };
  return {
    kind: 'plan',
    swapKind,
    sellToken: usdc,
    buyToken: dai,
    sellAmount: SOLD,
    buyAmount: BOUGHT,
    swaps: [{ pool, ...trade }],
  };
}

const orderIn = ({ swaps }: RoutingPlan) => swaps[0]?.pool as MakerOrderPool;

const { encode } = graphRouter;

test('an order -> the contract computes the hash that the maker signed', async () => {
  const { order } = orderIn(await planOf());
  const call = { abi, functionName: 'hashOf' };
  const data = encodeFunctionData({ ...call, args: [order] });
  const result = await chain.rpc<Hex>('eth_call', [{ to: makerOrders, data }, 'latest']);
  expect(decodeFunctionResult({ ...call, data: result })).toBe(
    hashOrder({ chainId: 31337, makerOrders }, order),
  );
});

describe.each(GRAPH_ROUTERS)('%s', (router) => {
  const run = (plan: RoutingPlan, more: Partial<Parameters<typeof settle>[2]> = {}) =>
    settle(chain, plan, { router, encode, user: USER, ...more });

  test.each(['exact-input', 'exact-output'] as const)(
    '%s through pools and orders of the test maker -> settles as quoted, within the gas limit, and the router retains nothing',
    async (swapKind) => {
      const resolved = resolveRouters(chain.market).find(({ name }) => name === router);
      const tokens = new Map([...chain.market.tokens.values()].map((t) => [t.symbol, t]));
      let filled = 0;
      for (const [sell, buy, units] of [
        ['USDC', 'WETH', 100n],
        ['WETH', 'USDC', 40n],
        ['WBTC', 'USDT', 1n],
        ['BOW', 'FERN', 20_000n],
      ] as const) {
        const [sold, bought] = [tokens.get(sell), tokens.get(buy)];
        if (!sold || !bought || !resolved?.withMakers) throw new Error('no such token or router');
        const exact = swapKind === 'exact-input' ? sold : bought;
        const request = {
          sellToken: sold.address,
          buyToken: bought.address,
          swapKind,
          amount: units * 10n ** BigInt(exact.decimals),
        };
        const quoteRequest = { ...request, taker: resolved.address };
        const market = await withQuotes(chain.market, quoteRequest, testMakers());
        const plan = planner(market, { ...request, constraints: resolved.withMakers });
        if (plan.kind !== 'plan') throw new Error(`no plan from ${sell} to ${buy}`);
        filled += plan.swaps.filter(({ pool }) => pool.family === 'maker-order').length;
        expectExact(await run(plan), plan);
      }
      expect(filled).toBeGreaterThan(3);
    },
  );

  test('a whole order filled twice -> the second fill is rejected', async () => {
    const plan = await planOf();
    expectExact(await run(plan), plan);
    const { address } = deploymentOf(chain.market, router);
    const { calldata } = await run(plan);
    const again = await run(plan, { before: () => chain.send(USER, address, calldata) });
    expect(again.sent).toEqual({ kind: 'reverted', error: 'Overfilled' });
  });

  test('exact output of a whole order -> costs the full amount', async () => {
    const plan = await planOf({}, { swapKind: 'exact-output' });
    expectExact(await run(plan), plan);
  });

  test('an order with a taker amount of 0 -> rejected, since it could be filled repeatedly', async () => {
    const plan = await planOf({ order: { takerAmount: 0n } }, { swapKind: 'exact-output' });
    const [swap] = plan.swaps;
    if (swap === undefined) throw new Error('no swap');
    const free = { ...plan, sellAmount: 0n, swaps: [{ ...swap, amountIn: 0n }] };
    expect((await run(free)).sent).toEqual({ kind: 'reverted', error: 'NothingAsked' });
  });

  test.each([
    [
      'with a better price than signed',
      { tampered: { makerAmount: BOUGHT + 1n } },
      'InvalidSignature',
    ],
    ['with another salt', { tampered: { salt: 8n } }, 'InvalidSignature'],
    ['with a later expiry than signed', { tampered: { expiry: 1n << 50n } }, 'InvalidSignature'],
    ['signed by another key', { key: OTHER_KEY }, 'InvalidSignature'],
    ['signed for another chain', { chainId: 31338 }, 'InvalidSignature'],
    ['of the zero address', { tampered: { maker: ANYONE } }, 'InvalidSignature'],
    ['that has expired', { order: { expiry: 1_000_000_000n } }, 'OrderExpired'],
    ['for another taker', { order: { taker: USER } }, 'WrongTaker'],
    ['for less than the plan needs', { order: { takerAmount: SOLD - 1n } }, 'Overfilled'],
    ['that the maker cannot pay', { order: { makerAmount: BOUGHT * 11n } }, 'TransferFailed'],
  ] as const)('an order %s -> reverts, and costs nothing', async (_, changes, error) => {
    const settled = await run(await planOf(changes));
    expect(settled.sent).toEqual({ kind: 'reverted', error });
    expect([settled.sold, settled.bought]).toEqual([0n, 0n]);
  });
});

test('a caller that does not pay -> reverts, and the maker retains its tokens', async () => {
  const quote = makerOrder.graphRouter.quote(orderIn(await planOf()));
  const words = concatHex(quote.map((word) => toHex(word, { size: 32 })));
  // An account without code pays nothing when it is called back.
  const args = [USER, true, SOLD, 0n, words];
  const data = encodeFunctionData({ abi, functionName: 'swap', args });
  const sent = await chain.send(USER, makerOrders, data);
  expect(sent.kind).toBe('reverted');
  expect(await chain.balanceOf(dai, MAKER)).toBe(BOUGHT * 10n);
});
