import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  deploymentOf,
  type Settled,
  type SettleOptions,
  settle,
  settlementOptions,
  startTestChain,
  type TestChain,
} from '../contracts/settlement.testing.ts';
import { type Address, parseAddress } from '../domain/address.ts';
import type { Market } from '../market/market.ts';
import type { RoutingPlan, SwapKind } from '../routing/plan.ts';
import { planRoute } from '../routing/plan-route.ts';
import { resolveRouters } from './encoders.ts';
import { NotPathsError } from './plan-paths.ts';
import { universalRouter } from './universal-router.ts';

const user = parseAddress('0x00000000000000000000000000000000000a11ce');
const other = parseAddress('0x0000000000000000000000000000000000000b0b');
const permit2Abi = parseAbi(['function approve(address,address,uint160,uint48)']);
const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline)']);

let chain: TestChain;
let market: Market;

beforeAll(async () => {
  chain = await startTestChain();
  market = chain.market;
});
afterAll(() => chain.node.stop());

function token(symbol: string): Address {
  const found = [...market.tokens.values()].find((candidate) => candidate.symbol === symbol);
  if (found === undefined) throw new Error(`the market has no ${symbol}`);
  return found.address;
}

function planOf(
  sellToken: Address,
  buyToken: Address,
  swapKind: SwapKind,
  amount: bigint,
): RoutingPlan | undefined {
  const router = resolveRouters(market).find(({ name }) => name === 'universal-router');
  if (router === undefined) throw new Error('the market has no universal-router');
  const { constraints } = router;
  const plan = planRoute(market, { sellToken, buyToken, swapKind, amount, constraints });
  return plan.kind === 'plan' ? plan : undefined;
}

function sold(sell: string, buy: string, sellAmount: bigint): RoutingPlan {
  return planned(sell, buy, 'exact-input', sellAmount);
}

function bought(sell: string, buy: string, buyAmount: bigint): RoutingPlan {
  return planned(sell, buy, 'exact-output', buyAmount);
}

function planned(sell: string, buy: string, swapKind: SwapKind, amount: bigint): RoutingPlan {
  const plan = planOf(token(sell), token(buy), swapKind, amount);
  if (plan === undefined) throw new Error(`no plan from ${sell} to ${buy}`);
  return plan;
}

type Options = Partial<Omit<SettleOptions, 'router' | 'encode' | 'user'>>;

function execute(plan: RoutingPlan, { before, ...options }: Options = {}): Promise<Settled> {
  const router = deploymentOf(market, 'universal-router');
  const approve = encodeFunctionData({
    abi: permit2Abi,
    functionName: 'approve',
    args: [plan.sellToken, router.address, 2n ** 160n - 1n, 2 ** 48 - 1],
  });
  return settle(chain, plan, {
    ...options,
    router: 'universal-router',
    encode: universalRouter.encode,
    user,
    before: async () => {
      await chain.send(user, router.tokenProxy, approve);
      await before?.();
    },
  });
}

/** Sells, by another user, to the pool that takes most of the plan: `part` of what it takes. */
function pushPrice(plan: RoutingPlan, part: number): () => Promise<unknown> {
  return async () => {
    const router = deploymentOf(market, 'universal-router');
    const first = plan.swaps
      .filter(({ tokenIn }) => tokenIn === plan.sellToken)
      .reduce((largest, swap) => (swap.amountIn > largest.amountIn ? swap : largest));
    const amountIn = (first.amountIn * BigInt(Math.round(part * 1e6))) / 1_000_000n;
    const swaps = [{ ...first, amountIn }];
    const push: RoutingPlan = {
      ...plan,
      swapKind: 'exact-input',
      sellAmount: amountIn,
      buyAmount: 1n,
      buyToken: first.tokenOut,
      swaps,
    };
    const { calldata } = universalRouter.encode(
      push,
      settlementOptions(market, {
        router: 'universal-router',
        user: other,
        slippageBps: 10_000,
      }),
    );
    await chain.deal(plan.sellToken, other, amountIn);
    await chain.approve(plan.sellToken, other, router.tokenProxy ?? router.address);
    const args = [plan.sellToken, router.address, 2n ** 160n - 1n, 2 ** 48 - 1] as const;
    await chain.send(
      other,
      router.tokenProxy,
      encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args }),
    );
    const sent = await chain.send(other, router.address, calldata);
    expect(sent.kind).toBe('mined');
  };
}

describe('universalRouter', () => {
  test('random plans, exact input -> quoted and received are equal, nothing stays', async () => {
    const ratios: number[] = [];
    for (const { plan, options } of randomPlans('exact-input', 30)) {
      const settled = await execute(plan, options);
      expect(settled.sent.kind).toBe('mined');
      expect(settled.sold).toBe(plan.sellAmount);
      expect(settled.bought).toBe(plan.buyAmount);
      expect(settled.left).toBe(0n);
      ratios.push(Number(settled.gasLimit) / Number(settled.estimate));
    }
    expect(Math.min(...ratios)).toBeGreaterThan(1);
    expect(median(ratios)).toBeLessThan(1.6);
  });

  test('random plans, exact output -> sold as quoted, at least asked for arrives', async () => {
    const ratios: number[] = [];
    for (const { plan, options } of randomPlans('exact-output', 30)) {
      const settled = await execute(plan, options);
      expect(settled.sent.kind).toBe('mined');
      expect(settled.sold).toBe(plan.sellAmount);
      expect(settled.bought).toBeGreaterThanOrEqual(plan.buyAmount);
      if (plan.swaps.every(({ pool }) => pool.family === 'concentrated')) {
        expect(settled.bought).toBe(plan.buyAmount);
      }
      expect(settled.left).toBe(0n);
      ratios.push(Number(settled.gasLimit) / Number(settled.estimate));
    }
    expect(Math.min(...ratios)).toBeGreaterThan(1);
    expect(median(ratios)).toBeLessThan(1.6);
  });

  test('native exact output with more value than needed -> the rest comes back', async () => {
    const plan = bought('WETH', 'USDC', 5_000_000_000n);
    const settled = await execute(plan, {
      sellNative: true,
      slippageBps: 100,
      value: (plan.sellAmount * 10_100n) / 10_000n,
    });
    expect(settled.sent.kind).toBe('mined');
    expect(settled.sold).toBe(plan.sellAmount);
    expect(settled.left).toBe(0n);
  });

  test.each(['exact-input', 'exact-output'] as const)(
    '%s, price moved beyond the tolerance -> reverts and costs nothing',
    async (swapKind) => {
      const plan =
        swapKind === 'exact-input'
          ? sold('WETH', 'UNI', 10n ** 18n)
          : bought('WETH', 'UNI', 300n * 10n ** 18n);
      const settled = await execute(plan, { slippageBps: 10, before: pushPrice(plan, 5) });
      expect(settled.sent.kind).toBe('reverted');
      expect([settled.sold, settled.bought]).toEqual([0n, 0n]);
    },
  );

  test.each(['exact-input', 'exact-output'] as const)(
    '%s, price moved within the tolerance -> succeeds within the limits',
    async (swapKind) => {
      const plan =
        swapKind === 'exact-input'
          ? sold('WETH', 'UNI', 10n ** 18n)
          : bought('WETH', 'UNI', 300n * 10n ** 18n);
      const settled = await execute(plan, { slippageBps: 500, before: pushPrice(plan, 0.2) });
      expect(settled.sent.kind).toBe('mined');
      if (swapKind === 'exact-input') {
        expect(settled.sold).toBe(plan.sellAmount);
        expect(settled.bought).toBeLessThan(plan.buyAmount);
        expect(settled.bought * 100n).toBeGreaterThanOrEqual(plan.buyAmount * 95n);
      } else {
        expect(settled.bought).toBeGreaterThanOrEqual(plan.buyAmount);
        expect(settled.sold).toBeGreaterThan(plan.sellAmount);
        expect(settled.sold * 100n).toBeLessThanOrEqual(plan.sellAmount * 105n);
      }
      expect(settled.left).toBe(0n);
    },
  );

  test('deadline passed -> reverts', async () => {
    const settled = await execute(sold('USDC', 'WETH', 10n ** 9n), { deadline: 1n });
    expect(settled.sent.kind).toBe('reverted');
  });

  test('slippage 1 -> anything is accepted', async () => {
    const plan = sold('WETH', 'UNI', 10n ** 18n);
    const settled = await execute(plan, { slippageBps: 10_000, before: pushPrice(plan, 50) });
    expect(settled.sent.kind).toBe('mined');
    expect(settled.left).toBe(0n);
  });

  test('calldata -> viem decodes it as execute with the deadline asked for', () => {
    const plan = sold('DAI', 'LINK', 10n ** 21n);
    const options = settlementOptions(market, {
      router: 'universal-router',
      user,
      deadline: 1234n,
    });
    const { calldata } = universalRouter.encode(plan, options);
    const { args } = decodeFunctionData({ abi: routerAbi, data: calldata });
    expect(args[2]).toBe(1234n);
    expect(args[1]).toHaveLength((args[0].length - 2) / 2);
  });

  test('plan that splits an intermediate token -> NotPathsError', () => {
    const plan = sold('TICKET', 'DAI', 5n);
    const [first, ...rest] = plan.swaps;
    if (first === undefined) throw new Error('the plan has no swaps');
    const broken = { ...plan, swaps: [{ ...first, amountOut: first.amountOut - 1n }, ...rest] };
    const options = settlementOptions(market, {
      router: 'universal-router',
      user,
    });
    expect(() => universalRouter.encode(broken, options)).toThrow(NotPathsError);
  });
});

/** Plans over the whole market, sized from dust to a tenth of it, and ways to settle them; the same each run. */
function randomPlans(swapKind: SwapKind, count: number): { plan: RoutingPlan; options: Options }[] {
  const random = generator(swapKind === 'exact-input' ? 3 : 4);
  const tokens = [...market.tokens.values()];
  const found: { plan: RoutingPlan; options: Options }[] = [];
  while (found.length < count) {
    const [sell, buy] = [0, 1].map(() => tokens[Math.floor(random() * tokens.length)]);
    if (sell === undefined || buy === undefined || sell === buy) continue;
    const { decimals } = swapKind === 'exact-input' ? sell : buy;
    const amount = BigInt(Math.ceil(10 ** (decimals - 3 + random() * 6)));
    const plan = planOf(sell.address, buy.address, swapKind, amount);
    if (plan === undefined) continue;
    const sellNative = sell.address === market.wrappedNative && random() < 0.7;
    const buyNative = buy.address === market.wrappedNative && random() < 0.7;
    const slippageBps = random() < 0.5 ? 0 : 50;
    const options = { sellNative, buyNative, slippageBps };
    found.push({ plan, options: random() < 0.5 ? options : { ...options, recipient: other } });
  }
  return found;
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
