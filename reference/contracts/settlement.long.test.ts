import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graphRouter } from '../encoding/graph-router.ts';
import type { Market } from '../market/market.ts';
import { parseAddress } from '../planner/domain/address.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import { swapExactInput } from '../planner/pools/families.ts';
import { anyPlan, depthOf } from './plans.testing.ts';
import {
  deploymentOf,
  expectExact,
  GRAPH_ROUTERS,
  settle,
  settlementOptions,
} from './settlement.testing.ts';
import { startTestChain, type TestChain } from './test-chain.testing.ts';

const USER = parseAddress(`0x${'5e11e4'.padStart(40, '0')}`);
const FRIEND = parseAddress(`0x${'f41e2d'.padStart(40, '0')}`);
/** Numbers of plans per router: of any kind, and through contracts with many pools. */
const [PLANS, SHARED_CONTRACT_PLANS] =
  process.env['SWAPCHECK_LONG'] === '1' ? [2_000, 400] : [60, 20];

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain?.node.stop());

describe.each(GRAPH_ROUTERS)('%s', (router) => {
  const { encode } = graphRouter;

  test.each([
    ['any plan', PLANS, (market: Market) => market],
    ['plans with pools of the Vault and the manager', SHARED_CONTRACT_PLANS, withFewPairs],
  ])(
    '%s, any option -> settles as quoted to the base unit, within the gas limit, and the router retains nothing',
    async (_, count, marketOf) => {
      const ratios: number[] = [];
      const market = marketOf(chain.market);
      const isIncluded = ({ swaps }: RoutingPlan) =>
        market === chain.market || swaps.some(({ pool }) => 'poolId' in pool);
      const plans = fc.sample(anyPlan(market).filter(isIncluded), {
        numRuns: count,
        seed: router.length,
      });
      for (const [i, plan] of plans.entries()) {
        const settled = await settle(chain, plan, {
          router,
          encode,
          user: USER,
          ...(i % 2 === 0 ? {} : { recipient: FRIEND }),
          slippageBps: [0, 50, 10_000][i % 3] ?? 0,
          sellNative: plan.sellToken === chain.market.wrappedNative && i % 4 > 0,
          buyNative: plan.buyToken === chain.market.wrappedNative && i % 4 > 0,
          isEstimated: true,
        });
        expectExact(settled, plan);
        ratios.push(Number(settled.gasLimit) / Number(settled.estimate));
      }
      expect(new Set(plans.map(({ swapKind }) => swapKind)).size).toBe(2);
      ratios.sort((a, b) => a - b);
      expect(ratios[0]).toBeGreaterThanOrEqual(1);
      expect(ratios[Math.floor(ratios.length / 2)]).toBeLessThanOrEqual(1.6);
    },
    600_000,
  );

  test('a price that moved beyond the tolerance -> reverts and costs nothing; within the tolerance -> settles within the limit', async () => {
    const plans = fc
      .sample(anyPlan(chain.market), { numRuns: 80, seed: 77 })
      .filter(({ swaps }) =>
        swaps.every(({ amountIn, amountOut }) => amountIn > 10_000n && amountOut > 10_000n),
      )
      .slice(0, 12);
    const trades = new Set(plans.map(({ swapKind }) => swapKind));
    expect(trades.size).toBe(2);
    for (const plan of plans) {
      const moved = { router, encode, user: USER, before: () => movePricesAgainst(plan) } as const;
      const strict = await settle(chain, plan, moved);
      const error = plan.swapKind === 'exact-input' ? 'TooLittleBought' : 'TooMuchSold';
      expect(strict.sent).toEqual({ kind: 'reverted', error });
      expect([strict.sold, strict.bought, strict.left]).toEqual([0n, 0n, 0n]);
      const lax = await settle(chain, plan, { ...moved, slippageBps: 9000 });
      expect(lax.sent).toMatchObject({ kind: 'mined' });
      expect(lax.left).toBe(0n);
      if (plan.swapKind === 'exact-input') {
        expect(lax.sold).toBe(plan.sellAmount);
        expect(lax.bought).toBeLessThan(plan.buyAmount);
      } else {
        expect(lax.bought).toBe(plan.buyAmount);
        expect(lax.sold).toBeGreaterThan(plan.sellAmount);
      }
    }
  });

  test('the native token sold for an exact output -> any sufficient value settles, and the rest is returned', async () => {
    const plan = fc
      .sample(anyPlan(chain.market), { numRuns: 600, seed: 3 })
      .find(
        ({ swapKind, sellToken }) =>
          swapKind === 'exact-output' && sellToken === chain.market.wrappedNative,
      );
    if (plan === undefined) throw new Error('no such plan in the sample');
    const options = { router, encode, user: USER, sellNative: true, slippageBps: 50 };
    for (const value of [plan.sellAmount, (plan.sellAmount * 10_050n) / 10_000n]) {
      expectExact(await settle(chain, plan, { ...options, value }), plan);
    }
    const short = await settle(chain, plan, { ...options, value: plan.sellAmount - 1n });
    expect(short.sent.kind).toBe('reverted');
    expect(short.sold).toBe(0n);
  });

  test('a pool that pays more than planned -> later splits retain their proportions, and everything arrives', async () => {
    const plan = fc
      .sample(anyPlan(chain.market), { numRuns: 400, seed: 9 })
      .find(
        ({ swapKind, sellToken, swaps }) =>
          swapKind === 'exact-input' &&
          swaps.filter(({ tokenIn }) => tokenIn !== sellToken).length > 2 &&
          swaps.every(({ amountIn }) => amountIn > 1_000_000n),
      );
    if (plan === undefined) throw new Error('no such plan in the sample');
    const first = plan.swaps[0];
    if (first === undefined) throw new Error('a plan without swaps');
    const settled = await settle(chain, plan, {
      router,
      encode,
      user: USER,
      // Donates output to the router, as if the pool had paid more than planned.
      before: () =>
        chain.deal(first.tokenOut, deploymentOf(chain.market, router).address, first.amountOut),
    });
    expect(settled.sent.kind).toBe('mined');
    expect(settled.sold).toBe(plan.sellAmount);
    expect(settled.bought).toBeGreaterThanOrEqual(plan.buyAmount);
  });

  test('a deadline that has passed -> reverts with Expired', async () => {
    const [plan] = fc.sample(anyPlan(chain.market), { numRuns: 1, seed: 2 }) as [RoutingPlan];
    const deadline = BigInt(chain.market.block.timestamp - 1);
    const late = await settle(chain, plan, { router, encode, user: USER, deadline });
    expect(late.sent).toEqual({ kind: 'reverted', error: 'Expired' });
    expect([late.sold, late.bought]).toEqual([0n, 0n]);
  });
});

function withFewPairs({ pools, ...market }: Market): Market {
  const few = pools.filter((pool) => pool.family === 'constant-product').slice(0, 8);
  return { ...market, pools: [...pools.filter((pool) => 'poolId' in pool), ...few] };
}

async function movePricesAgainst(plan: RoutingPlan): Promise<void> {
  const firsts = plan.swaps.filter(({ tokenIn }) => tokenIn === plan.sellToken);
  const other = parseAddress(`0x${'77a1e4'.padStart(40, '0')}`);
  const { address } = deploymentOf(chain.market, 'default-router');
  const options = { router: 'default-router', user: other, slippageBps: 10_000 } as const;
  for (const swap of firsts) {
    const amount = BigInt(Math.ceil(depthOf(swap.pool, swap.tokenIn) / 2000));
    const again = swapExactInput(swap, amount);
    const push: RoutingPlan = {
      kind: 'plan',
      swapKind: 'exact-input',
      sellToken: swap.tokenIn,
      buyToken: swap.tokenOut,
      sellAmount: again.amountIn,
      buyAmount: 0n,
      swaps: [{ ...swap, amountIn: again.amountIn, amountOut: again.amountOut }],
    };
    await chain.deal(swap.tokenIn, other, again.amountIn);
    await chain.approve(swap.tokenIn, other, address);
    const { calldata } = graphRouter.encode(push, settlementOptions(chain.market, options));
    const sent = await chain.send(other, address, calldata);
    if (sent.kind === 'reverted') throw new Error(`the price did not move: ${sent.error}`);
  }
}
