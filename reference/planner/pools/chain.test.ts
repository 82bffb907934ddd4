import { createRequire } from 'node:module';
import fc from 'fast-check';
import { type Address as ChainAddress, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnvilNode } from '../../../conformance/execution/node/anvil.ts';
import { artifact } from '../../../fixtures/chains/artifacts.ts';
import { startFixtureChain } from '../../../fixtures/chains/fixture-chain.ts';
import { type ChainReader, createReader, readFrom, rpc } from '../../../fixtures/chains/sender.ts';
import { loadEmbeddedMarkets } from '../../market/embedded-markets.ts';
import type { Address } from '../domain/address.ts';
import type { ConcentratedPool } from './concentrated.ts';
import { concentrated } from './concentrated.ts';
import type { ConstantProductPool } from './constant-product.ts';
import { constantProduct } from './constant-product.ts';
import { type PairIdentity, type SwapOutcome, tokensOf } from './pool.ts';
import { logUniform, poolAfter } from './pools.testing.ts';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from './tick-math.ts';

const SWAPS = 600;
const SEED = 20_260_101;
const MAX_UINT256 = (1n << 256n) - 1n;

const contracts = createRequire(import.meta.url)('#fixtures/markets/31337.contracts.json') as {
  readonly deployer: ChainAddress;
  readonly quoterV2: ChainAddress;
};
const { pools = [], tokens } = loadEmbeddedMarkets().find(({ chainId }) => chainId === 31337) ?? {};

let node: AnvilNode;
let reader: ChainReader;

beforeAll(async () => {
  node = await startFixtureChain(31337);
  reader = createReader(node.url);
  await rpc(reader, 'evm_setBlockGasLimit', [toHex(3_000_000_000)]);
  await rpc(reader, 'evm_mine');
});

afterAll(() => node.stop());

describe('concentrated', () => {
  test(`${SWAPS} random exact inputs -> the amount and final price of QuoterV2`, async () => {
    const curve = curvesOf();
    const swaps = randomSwaps(concentratedPools(), (pool, tokenIn) => {
      return curve(pool, tokenIn).swapExactInput(MAX_UINT256).amountIn;
    });
    const kinds = await Promise.all(
      swaps.map(async ({ pool, tokenIn, tokenOut, amount }) => {
        const ours = curve(pool, tokenIn).swapExactInput(amount);
        const { fee, limit } = quoteTerms(pool, tokenIn);
        const quote = { tokenIn, tokenOut, amountIn: amount, fee, sqrtPriceLimitX96: 0n };
        const [amountOut, sqrtPriceAfter] = await callQuoter('quoteExactInputSingle', quote);
        expect(ours.amountOut).toBe(amountOut);
        // Unless the input runs out first, the real swap continues to the price limit.
        const after = poolAfter({ pool, tokenIn, tokenOut }, amount);
        expect(ours.kind === 'filled' ? after.sqrtPriceX96 : limit).toBe(sqrtPriceAfter);
        return ours.kind;
      }),
    );
    expectMostlyFilled(kinds);
  });

  test(`${SWAPS} random exact outputs -> the cost at QuoterV2, which rejects outputs that exhaust the pool`, async () => {
    const curve = curvesOf();
    const swaps = randomSwaps(concentratedPools(), (pool, tokenIn) => {
      return curve(pool, tokenIn).swapExactOutput(MAX_UINT256).amountOut;
    });
    const kinds = await Promise.all(
      swaps.map(async ({ pool, tokenIn, tokenOut, amount }) => {
        const ours = curve(pool, tokenIn).swapExactOutput(amount);
        const { fee, limit } = quoteTerms(pool, tokenIn);
        const quote = { tokenIn, tokenOut, amount, fee };
        // With an explicit limit the quoter also returns the cost of a partial fill.
        const [amountIn] = await callQuoter('quoteExactOutputSingle', {
          ...quote,
          sqrtPriceLimitX96: limit,
        });
        expect(ours.amountIn).toBe(amountIn);
        const unlimited = callQuoter('quoteExactOutputSingle', { ...quote, sqrtPriceLimitX96: 0n });
        if (ours.kind === 'filled') expect((await unlimited)[0]).toBe(amountIn);
        else await expect(unlimited).rejects.toThrow('revert');
        return ours.kind;
      }),
    );
    expectMostlyFilled(kinds);
  });
});

function curvesOf() {
  const curves = new Map<string, ReturnType<typeof concentrated.curve>>();
  return (pool: ConcentratedPool, tokenIn: Address) => {
    const key = `${pool.address} ${tokenIn}`;
    const curve = curves.get(key) ?? concentrated.curve(pool, tokenIn);
    curves.set(key, curve);
    return curve;
  };
}

type Amounts = { readonly amountIn: bigint; readonly amountOut: bigint };

/**
 * Amounts to swap at a pair, and the closest swap that the pair must reject.
 */
type PairKind = {
  readonly max: (pool: ConstantProductPool, tokenIn: Address) => bigint;
  readonly swap: (pool: ConstantProductPool, tokenIn: Address, amount: bigint) => SwapOutcome;
  readonly rejected: (swap: SwapOutcome) => Amounts;
};

describe('constantProduct', () => {
  test.each<[string, PairKind]>([
    [
      'inputs -> the pair pays exactly the output, and rejects one unit more',
      {
        max: reserveOf,
        swap: (pool, tokenIn, amount) =>
          constantProduct.curve(pool, tokenIn).swapExactInput(amount),
        rejected: ({ amountIn, amountOut }) => ({ amountIn, amountOut: amountOut + 1n }),
      },
    ],
    [
      'outputs -> the pair accepts the cost, and rejects two units less',
      {
        max: (pool, tokenIn) => reserveOf(pool, otherOf(pool, tokenIn)),
        swap: (pool, tokenIn, amount) =>
          constantProduct.curve(pool, tokenIn).swapExactOutput(amount),
        // The library adds 1 even if the division leaves no remainder.
        rejected: ({ amountIn, amountOut }) => ({ amountIn: amountIn - 2n, amountOut }),
      },
    ],
  ])(`${SWAPS} random exact %s`, async (_, { max, swap, rejected }) => {
    const swaps = randomSwaps(constantProductPools(), max);
    let settled = 0;
    const settleAll = async (pool: ConstantProductPool) => {
      for (const { tokenIn, amount } of swaps.filter((each) => each.pool === pool)) {
        const ours = swap(pool, tokenIn, amount);
        // A pair rejects a swap that pays nothing out.
        if (ours.kind === 'exhausted' || ours.amountOut === 0n) continue;
        await simulateSwap(pool, tokenIn, ours);
        settled++;
        const nearest = rejected(ours);
        if (nearest.amountIn <= 0n) continue;
        const rejection = /UniswapV2: (K|INSUFFICIENT_LIQUIDITY)/;
        await expect(simulateSwap(pool, tokenIn, nearest)).rejects.toThrow(rejection);
      }
    };
    await Promise.all(constantProductPools().map(settleAll));
    expect(settled).toBeGreaterThanOrEqual(400);
  });

  test('a reserve beyond 2^112 - 1 -> exhausted in the model, rejected by the pair; the largest swap -> accepted', async () => {
    const pool = constantProductPools()[0] as ConstantProductPool;
    const max = constantProduct.curve(pool, pool.token0).swapExactInput(MAX_UINT256);
    expect(max.kind).toBe('exhausted');
    await simulateSwap(pool, pool.token0, max);
    const more = { ...max, amountIn: max.amountIn + 1n };
    await expect(simulateSwap(pool, pool.token0, more)).rejects.toThrow('OVERFLOW');
  });
});

async function simulateSwap(
  pool: ConstantProductPool,
  tokenIn: Address,
  { amountIn, amountOut }: Amounts,
): Promise<void> {
  const tokenOut = otherOf(pool, tokenIn);
  await deal(pool.address, tokenIn, reserveOf(pool, tokenIn) + amountIn);
  await deal(pool.address, tokenOut, reserveOf(pool, tokenOut));
  const outs = tokenIn === pool.token0 ? [0n, amountOut] : [amountOut, 0n];
  await reader.simulateContract({
    address: pool.address,
    abi: artifact('v2Pair').abi,
    functionName: 'swap',
    args: [...outs, contracts.deployer, '0x'],
    account: contracts.deployer,
  });
}

function reserveOf(pool: ConstantProductPool, token: Address): bigint {
  return token === pool.token0 ? pool.reserve0 : pool.reserve1;
}

function otherOf(pool: PairIdentity, token: Address): Address {
  return token === pool.token0 ? pool.token1 : pool.token0;
}

function randomSwaps<State extends PairIdentity>(
  among: readonly State[],
  max: (pool: State, tokenIn: Address) => bigint,
) {
  return Array.from({ length: SWAPS }, (_, i) => {
    const pool = among[i % among.length] as State;
    const tokenIn = Math.floor(i / among.length) % 2 === 0 ? pool.token0 : pool.token1;
    const bits = max(pool, tokenIn).toString(2).length + 2;
    const amount = sample(logUniform(bits), i);
    return { pool, tokenIn, tokenOut: otherOf(pool, tokenIn), amount };
  });
}

function sample<Value>(arbitrary: fc.Arbitrary<Value>, index: number): Value {
  return fc.sample(arbitrary, { seed: SEED + index, numRuns: 1 })[0] as Value;
}

function expectMostlyFilled(kinds: readonly SwapOutcome['kind'][]): void {
  const filled = kinds.filter((kind) => kind === 'filled').length;
  expect(filled).toBeGreaterThanOrEqual(500);
  expect(kinds.length - filled).toBeGreaterThan(10);
}

function quoteTerms(pool: ConcentratedPool, tokenIn: Address): { fee: number; limit: bigint } {
  const limit = tokenIn === pool.token0 ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  return { fee: pool.feePips, limit };
}

function callQuoter(name: string, quote: object): Promise<readonly [bigint, bigint]> {
  return readFrom(reader, contracts.quoterV2, artifact('quoterV2').abi, name, [quote]);
}

function deal(holder: Address, token: Address, balance: bigint): Promise<unknown> {
  return rpc(reader, 'anvil_dealERC20', [holder, token, toHex(balance)]);
}

/** Returns the pairs, except those of TIDE, whose balances Anvil cannot set. */
function constantProductPools(): ConstantProductPool[] {
  return pools
    .filter((pool) => pool.family === 'constant-product')
    .filter((pool) => !tokensOf(pool).some((token) => tokens?.get(token)?.symbol === 'TIDE'));
}

function concentratedPools(): ConcentratedPool[] {
  const found = pools.filter((pool) => pool.family === 'concentrated');
  expect(new Set(found.map(({ feePips }) => feePips))).toEqual(new Set([100, 500, 3000, 10_000]));
  return found;
}
