import { createRequire } from 'node:module';
import fc from 'fast-check';
import { type Abi, decodeFunctionData } from 'viem';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../scripts/for-all.testing.ts';
import { anyPlan } from '../contracts/plans.testing.ts';
import { parseAddress } from '../domain/address.ts';
import { parseMarket } from '../market/parse-market.ts';
import { familyOf } from '../pools/families.ts';
import type { RoutingPlan } from '../routing/graph/plan.ts';
import { CyclicPlanError, encodeProgram, PlanTooLargeError } from './graph-program.ts';
import { graphRouter } from './graph-router.ts';
import { leastBought, mostSold } from './slippage.ts';

const require = createRequire(import.meta.url);
const market = parseMarket(require('#fixtures/markets/31337.json'));
const { abi } = require('#fixtures/bytecode/default-router.json') as { abi: Abi };
const plans = anyPlan(market);
const runs = { numRuns: 200, seed: 5 };

const router = market.routers.find(({ name }) => name === 'default-router');
if (router === undefined) throw new Error('the market has no default router');
const options = {
  router,
  wrappedNative: market.wrappedNative,
  sellNative: false,
  buyNative: true,
  user: parseAddress(`0x${'1'.repeat(40)}`),
  recipient: parseAddress(`0x${'2'.repeat(40)}`),
  slippageBps: 50,
  deadline: 1_800_000_000n,
};

const field = (hop: bigint, shift: bigint) => Number((hop >> shift) & 0xffn);

describe(encodeProgram, () => {
  test('any plan -> every swap once, fed before it is drained, paid straight only where alone', () => {
    forAll([plans], runs, (plan) => {
      const { tokens, swaps } = encodeProgram(plan);
      expect(tokens[0]).toBe(plan.sellToken);
      expect(tokens.at(-1)).toBe(plan.buyToken);
      expect(new Set(tokens).size).toBe(tokens.length);
      const pools = swaps.map(({ hop }) => BigInt.asUintN(160, hop));
      expect(pools.toSorted()).toEqual(
        plan.swaps.map(({ pool }) => BigInt(pool.address)).toSorted(),
      );
      for (const [i, { hop }] of swaps.entries()) {
        const [tokenIn, tokenOut, target] = [field(hop, 160n), field(hop, 168n), field(hop, 176n)];
        const fed = swaps.slice(i).every((later) => field(later.hop, 168n) !== tokenIn);
        expect(fed).toBe(true);
        const consumers = swaps.flatMap((other, j) =>
          field(other.hop, 160n) === tokenOut ? [j] : [],
        );
        if (target === 0xff) expect(tokens[tokenOut]).toBe(plan.buyToken);
        else if (target < 0xfe) {
          expect(consumers).toEqual([target]);
          expect((swaps[target] as { hop: bigint }).hop & (1n << 185n)).not.toBe(0n);
        }
      }
    });
  });

  test('any plan -> shares of the planned amounts give exactly the planned parts', () => {
    forAll([plans], runs, (plan) => {
      const sells = plan.swapKind === 'exact-input';
      const { tokens, swaps } = encodeProgram(plan);
      // Several pools may be at one address.
      const swapOf = (hop: bigint) =>
        plan.swaps.find(({ pool, tokenIn, tokenOut }) => {
          const bits = familyOf(pool).graphRouter.hopBits(pool);
          const ends = [tokens[field(hop, 160n)], tokens[field(hop, 168n)]];
          const isAt = BigInt(pool.address) === BigInt.asUintN(160, hop) && (hop & bits) === bits;
          return isAt && ends[0] === tokenIn && ends[1] === tokenOut;
        });
      const left = new Map<string, bigint>();
      for (const { tokenIn, tokenOut, amountIn, amountOut } of plan.swaps) {
        const [token, amount] = sells ? [tokenIn, amountIn] : [tokenOut, amountOut];
        left.set(token, (left.get(token) ?? 0n) + amount);
      }
      for (const { hop, share } of sells ? swaps : swaps.toReversed()) {
        const swap = swapOf(hop);
        const token = tokens[field(hop, sells ? 160n : 168n)] ?? '';
        const whole = left.get(token) ?? 0n;
        const [numerator, denominator] = [share >> 128n, BigInt.asUintN(128, share)];
        const part = numerator === denominator ? whole : (whole * numerator) / denominator;
        expect(part).toBe(sells ? swap?.amountIn : swap?.amountOut);
        left.set(token, whole - part);
      }
      expect([...left.values()].every((rest) => rest === 0n)).toBe(true);
    });
  });

  test('swaps out of order -> the same program as in order', () => {
    forAll([plans], runs, (plan) => {
      const shuffled = encodeProgram({ ...plan, swaps: plan.swaps.toReversed() });
      expect(shuffled.swaps.length).toBe(plan.swaps.length);
      const order = shuffled.swaps.map(({ hop }) => [field(hop, 160n), field(hop, 168n)]);
      for (const [i, [tokenIn]] of order.entries()) {
        expect(order.slice(i).every(([, tokenOut]) => tokenOut !== tokenIn)).toBe(true);
      }
    });
  });

  test('a circle of tokens -> CyclicPlanError; an amount of 2^128 -> PlanTooLargeError', () => {
    const [plan] = fc.sample(plans, { numRuns: 1, seed: 1 }) as [RoutingPlan];
    const [swap] = plan.swaps;
    if (swap === undefined) throw new Error('a plan without swaps');
    const back = { ...swap, tokenIn: swap.tokenOut, tokenOut: swap.tokenIn };
    expect(() => encodeProgram({ ...plan, swaps: [swap, back] })).toThrow(CyclicPlanError);
    const huge = { ...swap, amountIn: 1n << 128n, amountOut: 1n << 128n };
    expect(() => encodeProgram({ ...plan, swaps: [huge] })).toThrow(PlanTooLargeError);
    const many = Array.from({ length: 255 }, () => swap);
    expect(() => encodeProgram({ ...plan, swaps: many })).toThrow(PlanTooLargeError);
  });
});

describe('graphRouter', () => {
  test('any plan -> decodes by the compiled ABI to its order, tokens and swaps', () => {
    forAll([plans], runs, (plan) => {
      const { functionName, args } = decodeFunctionData({
        abi,
        data: graphRouter.encode(plan, options).calldata,
      });
      const sells = plan.swapKind === 'exact-input';
      const limit = sells
        ? leastBought(plan.buyAmount, options.slippageBps)
        : mostSold(plan.sellAmount, options.slippageBps);
      const { tokens, swaps } = encodeProgram(plan);
      expect(functionName).toBe(sells ? 'sellExactly' : 'buyExactly');
      const [order, list, program] = args as [object, string[], object[]];
      expect(order).toEqual({
        sellAmount: sells ? plan.sellAmount : limit,
        buyAmount: sells ? limit : plan.buyAmount,
        recipient: options.recipient,
        deadline: options.deadline,
        unwrap: true,
      });
      expect(list.map((token) => token.toLowerCase())).toEqual(tokens);
      expect(program).toEqual(swaps);
    });
  });
});

describe('slippage', () => {
  test.each([
    [0, 1001n, 1001n],
    [1, 1001n, 1001n],
    [50, 996n, 1006n],
    [10_000, 0n, 2002n],
  ])('1001 at %i basis points -> at least %i bought, at most %i sold', (bps, least, most) => {
    expect([leastBought(1001n, bps), mostSold(1001n, bps)]).toEqual([least, most]);
  });
});
