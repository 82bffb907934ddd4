import fc from 'fast-check';
import { decodeFunctionData, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { medianOf } from '../../conformance/model/statistics.ts';
import {
  addressOf,
  allowByPermit2,
  expectExact,
  type Settled,
  type SettleOptions,
  settle,
  settlementOptions,
} from '../contracts/settlement.testing.ts';
import { startTestChain, type TestChain } from '../contracts/test-chain.testing.ts';
import type { Market } from '../market/market.ts';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import type { Token } from '../planner/domain/token.ts';
import type { RoutingPlan, SwapKind } from '../planner/graph/plan.ts';
import { createPlanner } from '../planner/planner.ts';
import { tokensOf } from '../planner/pools/pool.ts';
import { resolveRouters } from './encoders.ts';
import { graphRouter } from './graph-router.ts';
import { NotPathsError, pathsOfPlan } from './plan-paths.ts';
import { universalRouter } from './universal-router.ts';

const planner = createPlanner();

const user = parseAddress('0x00000000000000000000000000000000000a11ce');
const other = parseAddress('0x0000000000000000000000000000000000000b0b');
const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline)']);

let chain: TestChain;
let market: Market;

beforeAll(async () => {
  chain = await startTestChain();
  market = chain.market;
  await allowByPermit2(chain, user);
});
afterAll(() => chain.node.stop());

const token = (symbol: string) => addressOf(market, symbol);

function planOf(
  sellToken: Address,
  buyToken: Address,
  swapKind: SwapKind,
  amount: bigint,
  sources?: ReadonlySet<string>,
): RoutingPlan | undefined {
  const router = resolveRouters(market).find(({ name }) => name === 'universal-router');
  if (router === undefined) throw new Error('the market has no universal-router');
  const constraints = { ...router.constraints, ...(sources && { sources }) };
  const plan = planner(market, { sellToken, buyToken, swapKind, amount, constraints });
  return plan.kind === 'plan' ? plan : undefined;
}

function sold(sell: string, buy: string, sellAmount: bigint): RoutingPlan {
  const plan = planOf(token(sell), token(buy), 'exact-input', sellAmount);
  if (plan === undefined) throw new Error(`no plan from ${sell} to ${buy}`);
  return plan;
}

type Options = Partial<Omit<SettleOptions, 'router' | 'encode' | 'user'>>;

function execute(plan: RoutingPlan, options: Options = {}): Promise<Settled> {
  const { encode } = universalRouter;
  return settle(chain, plan, { ...options, router: 'universal-router', encode, user });
}

function expectSettled(settled: Settled, plan: RoutingPlan): void {
  const isRounded =
    plan.swapKind === 'exact-output' &&
    plan.swaps.some(({ pool }) => pool.family === 'constant-product');
  expect(settled.bought).toBeGreaterThanOrEqual(plan.buyAmount);
  expectExact(isRounded ? { ...settled, bought: plan.buyAmount } : settled, plan);
}

function optionsOf(options: Omit<SettleOptions, 'router' | 'encode'>) {
  return settlementOptions(market, { ...options, router: 'universal-router' });
}

/* `settle-reference.test.ts` tests price limits and refunds of the native token for every router. */

describe('universalRouter', () => {
  test.each(['exact-input', 'exact-output'] as const)(
    'random plans, %s -> settled as quoted, except for the rounding of pairs; the router retains nothing',
    async (swapKind) => {
      const ratios: number[] = [];
      for (const { plan, options } of randomPlans(swapKind, 30)) {
        const settled = await execute(plan, { ...options, isEstimated: true });
        expectSettled(settled, plan);
        ratios.push(Number(settled.gasLimit) / Number(settled.estimate));
      }
      expect(Math.min(...ratios)).toBeGreaterThan(1);
      expect(medianOf(ratios)).toBeLessThan(1.6);
    },
  );

  test.each(['exact-input', 'exact-output'] as const)(
    'random plans through pools of Uniswap V4 and one other kind, %s -> settled as quoted, and the router retains nothing',
    async (swapKind) => {
      const met = new Set<string>();
      for (const others of [[], ['UniswapV3'], ['UniswapV2']]) {
        const sources = new Set(['UniswapV4', ...others]);
        const amount = 10n ** (swapKind === 'exact-input' ? 6n : 15n);
        const native = [
          {
            plan: planOf(token('WETH'), token('LINK'), swapKind, 10n ** 15n, sources),
            options: { sellNative: true },
          },
          {
            plan: planOf(token('USDC'), token('WETH'), swapKind, amount, sources),
            options: { buyNative: true },
          },
        ];
        for (const { plan, options } of [...native, ...randomPlans(swapKind, 12, sources)]) {
          if (plan === undefined) throw new Error('no plan through Uniswap V4');
          expectSettled(await execute(plan, options), plan);
          for (const way of waysOf(plan, options)) met.add(way);
        }
      }
      const both = ['bought as native', 'bought wrapped', 'sold as native', 'two in a row'];
      const sold = ['native sold directly', 'native sold unwrapped', 'unwrapped between'];
      const expected = swapKind === 'exact-input' ? [...both, ...sold] : both;
      expect([...met].sort()).toEqual(expected.sort());
    },
  );

  test.each([
    ['one pair', 'USDC', 'DAI'],
    ['two pairs', 'USDC', 'LINK'],
  ])(
    'exact output that costs one base unit, through %s -> both routers sell that unit; only the Universal Router delivers more than requested',
    async (_, sell, buy) => {
      const pairs = new Set(['UniswapV2']);
      const plan = planOf(token(sell), token(buy), 'exact-output', 17_377n, pairs);
      if (plan === undefined) throw new Error('no plan through pairs');
      expect(plan.sellAmount).toBe(1n);
      const graph = { router: 'default-router', encode: graphRouter.encode, user } as const;
      const [direct, universal] = [await settle(chain, plan, graph), await execute(plan)];
      expect(direct.bought).toBe(plan.buyAmount);
      expect(universal.bought).toBeGreaterThan(plan.buyAmount);
      expect([direct.sold, universal.sold]).toEqual([1n, 1n]);
    },
  );

  test('exact output through pools that no single command covers -> NotPathsError', () => {
    const wrapped = planOf(token('USDC'), token('LINK'), 'exact-input', 10n ** 9n, V4);
    const native = planOf(token('WETH'), token('USDC'), 'exact-input', 10n ** 18n, V4);
    for (const plan of [wrapped, native]) {
      if (plan === undefined) throw new Error('no plan through Uniswap V4');
      const bought = { ...plan, swapKind: 'exact-output' } as const;
      expect(() => universalRouter.encode(bought, optionsOf({ user }))).toThrow(NotPathsError);
    }
  });

  test('calldata -> viem decodes it as execute with the requested deadline', () => {
    const plan = sold('DAI', 'LINK', 10n ** 21n);
    const { calldata } = universalRouter.encode(plan, optionsOf({ user, deadline: 1234n }));
    const { args } = decodeFunctionData({ abi: routerAbi, data: calldata });
    expect(args[2]).toBe(1234n);
    expect(args[1]).toHaveLength((args[0].length - 2) / 2);
  });

  test('a plan that splits an intermediate token -> NotPathsError', () => {
    const plan = sold('TICKET', 'DAI', 5n);
    const [first, ...rest] = plan.swaps;
    if (first === undefined) throw new Error('the plan has no swaps');
    const broken = { ...plan, swaps: [{ ...first, amountOut: first.amountOut - 1n }, ...rest] };
    expect(() => universalRouter.encode(broken, optionsOf({ user }))).toThrow(NotPathsError);
  });
});

const V4 = new Set(['UniswapV4']);

function waysOf(plan: RoutingPlan, { sellNative = false, buyNative = false }: Options): string[] {
  const ways: string[] = [];
  for (const path of pathsOfPlan(plan)) {
    for (const [at, { pool, tokenIn, tokenOut }] of path.entries()) {
      if (pool.family !== 'singleton') continue;
      const before = path[at - 1]?.pool;
      if (before?.family === 'singleton' && before.isNative === pool.isNative) {
        ways.push('two in a row');
      }
      if (at === 0 && !pool.isNative && sellNative) ways.push('sold as native');
      if (!pool.isNative) continue;
      if (tokenOut === plan.buyToken && tokenOut === market.wrappedNative) {
        ways.push(buyNative ? 'bought as native' : 'bought wrapped');
      }
      if (tokenIn !== market.wrappedNative) continue;
      if (at === 0) ways.push(sellNative ? 'native sold directly' : 'native sold unwrapped');
      else if (!(before && 'isNative' in before && before.isNative)) ways.push('unwrapped between');
    }
  }
  return ways;
}

function randomPlans(swapKind: SwapKind, count: number, sources?: ReadonlySet<string>) {
  const native = fc.boolean();
  const ofManager = market.pools.filter(({ family }) => family === 'singleton').flatMap(tokensOf);
  const tokens = [...market.tokens.values()].filter(
    ({ address }) => sources === undefined || ofManager.includes(address),
  );
  const anySettlement = fc.record({
    pair: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
    size: fc.integer({ min: -3000, max: 3000 }),
    sellNative: native,
    buyNative: native,
    slippageBps: fc.constantFrom(0, 50),
    recipient: fc.constantFrom(user, other),
  });
  return fc
    .sample(anySettlement, { seed: 3, numRuns: 10 * count })
    .flatMap(({ pair: [sell, buy], size, sellNative, buyNative, ...options }) => {
      const exact = swapKind === 'exact-input' ? sell : buy;
      if (sell === undefined || buy === undefined || exact === undefined) return [];
      const amount = BigInt(Math.ceil(10 ** (exact.decimals + size / 1000)));
      const plan = planOf(sell.address, buy.address, swapKind, amount, sources);
      const isNative = ({ address }: Token) => address === market.wrappedNative;
      const sides = {
        sellNative: sellNative && isNative(sell),
        buyNative: buyNative && isNative(buy),
      };
      return plan === undefined ? [] : [{ plan, options: { ...options, ...sides } }];
    })
    .slice(0, count);
}
