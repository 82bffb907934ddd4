import { createRequire } from 'node:module';
import fc from 'fast-check';
import { type Address as ChainAddress, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnvilNode } from '../../conformance/execution/anvil.ts';
import { startFixtureChain } from '../../scripts/fixture-chain.ts';
import { artifact } from '../../scripts/fixtures/artifacts.ts';
import {
  type ChainReader,
  createReader,
  createSender,
  readFrom,
  rpc,
} from '../../scripts/fixtures/sender.ts';
import type { Address } from '../domain/address.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { ConcentratedPool } from './concentrated.ts';
import { concentrated } from './concentrated.ts';
import type { ConstantProductPool } from './constant-product.ts';
import { constantProduct } from './constant-product.ts';
import { type SwapOutcome, tokensOf } from './pool.ts';
import { logUniform } from './pools.testing.ts';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from './tick-math.ts';

/** Swaps of each family and kind, spread over all its pools. */
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
  test(`${SWAPS} random exact inputs -> what QuoterV2 says, and the price it leaves`, async () => {
    const swaps = randomSwaps(concentratedPools(), (pool, tokenIn) => {
      return concentrated.swapExactInput(pool, tokenIn, MAX_UINT256).amountIn;
    });
    const kinds = await Promise.all(
      swaps.map(async ({ pool, tokenIn, tokenOut, amount }) => {
        const ours = concentrated.swapExactInput(pool, tokenIn, amount);
        const { fee, limit } = quoteTerms(pool, tokenIn);
        const quote = { tokenIn, tokenOut, amountIn: amount, fee, sqrtPriceLimitX96: 0n };
        const [amountOut, sqrtPriceAfter] = await callQuoter('quoteExactInputSingle', quote);
        expect(ours.amountOut).toBe(amountOut);
        // The real swap goes on to the limit if the input does not end before.
        const after = concentrated.afterExactInput(pool, tokenIn, amount);
        expect(ours.kind === 'filled' ? after.sqrtPriceX96 : limit).toBe(sqrtPriceAfter);
        return ours.kind;
      }),
    );
    expectMostlyFilled(kinds);
  });

  test(`${SWAPS} random exact outputs -> what QuoterV2 says; it refuses what exhausts the pool`, async () => {
    const swaps = randomSwaps(concentratedPools(), (pool, tokenIn) => {
      return concentrated.swapExactOutput(pool, tokenIn, MAX_UINT256).amountOut;
    });
    const kinds = await Promise.all(
      swaps.map(async ({ pool, tokenIn, tokenOut, amount }) => {
        const ours = concentrated.swapExactOutput(pool, tokenIn, amount);
        const { fee, limit } = quoteTerms(pool, tokenIn);
        const quote = { tokenIn, tokenOut, amount, fee };
        // With a limit of its own the quoter also tells what a partial fill costs.
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

describe('constantProduct', () => {
  test(`${SWAPS} random exact inputs, mined -> the pair pays just that and not one unit more`, async () => {
    await swapInRounds((pool, tokenIn) => pool[tokenIn === pool.token0 ? 'reserve0' : 'reserve1'], {
      swap: (pool, tokenIn, amount) => constantProduct.swapExactInput(pool, tokenIn, amount),
      refused: ({ amountIn, amountOut }) => ({ amountIn, amountOut: amountOut + 1n }),
    });
  });

  test(`${SWAPS} random exact outputs, mined -> the pair takes the cost, and not two units less`, async () => {
    await swapInRounds((pool, tokenIn) => pool[tokenIn === pool.token0 ? 'reserve1' : 'reserve0'], {
      swap: (pool, tokenIn, amount) => constantProduct.swapExactOutput(pool, tokenIn, amount),
      // The library adds a unit even where the division leaves no remainder.
      refused: ({ amountIn, amountOut }) => ({ amountIn: amountIn - 2n, amountOut }),
    });
  });

  test('a reserve beyond 2^112 - 1 -> the pair refuses what is exhausted here, and takes the most', async () => {
    const pool = constantProductPools()[0] as ConstantProductPool;
    const most = constantProduct.swapExactInput(pool, pool.token0, MAX_UINT256);
    expect(most.kind).toBe('exhausted');
    const before = await reservesOf(pool);
    const now = { ...pool, reserve0: before[0], reserve1: before[1] };
    const { amountIn, amountOut } = constantProduct.swapExactInput(now, now.token0, MAX_UINT256);
    await expect(
      simulateSwap(now, now.token0, { amountIn: amountIn + 1n, amountOut }),
    ).rejects.toThrow('OVERFLOW');
    await simulateSwap(now, now.token0, { amountIn, amountOut });
    await deal(now.address, now.token0, before[0]);
  });
});

type Amounts = { readonly amountIn: bigint; readonly amountOut: bigint };

/** Swaps every pair once a block until there are enough, holding its reserves to the model. */
async function swapInRounds(
  depth: (pool: ConstantProductPool, tokenIn: Address) => bigint,
  rules: {
    swap(pool: ConstantProductPool, tokenIn: Address, amount: bigint): SwapOutcome;
    /** The nearest swap that the pair must refuse. */
    refused(swap: SwapOutcome): Amounts;
  },
): Promise<void> {
  const sender = await createSender(reader, contracts.deployer);
  const { abi } = artifact('v2Pair');
  let states = await Promise.all(
    constantProductPools().map(async (pool): Promise<ConstantProductPool> => {
      const [reserve0, reserve1] = await reservesOf(pool);
      return { ...pool, reserve0, reserve1 };
    }),
  );
  let mined = 0;
  for (let round = 0; mined < SWAPS; round++) {
    const swaps = states.map((pool, i) => {
      const [way, amount] = sample(
        fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 2 ** 30 })),
        round * 1000 + i,
      );
      const tokenIn = way ? pool.token0 : pool.token1;
      const bits = depth(pool, tokenIn).toString(2).length + 1;
      return { pool, tokenIn, amount: sample(logUniform(bits), amount) };
    });
    const settled = await Promise.all(
      swaps.map(async ({ pool, tokenIn, amount }) => {
        const swap = rules.swap(pool, tokenIn, amount);
        // The pair itself pays nothing out only to refuse: no state to compare.
        if (swap.kind === 'exhausted' || swap.amountOut === 0n) return pool;
        const refused = rules.refused(swap);
        if (refused.amountIn > 0n) {
          await expect(simulateSwap(pool, tokenIn, refused)).rejects.toThrow(
            /UniswapV2: (K|INSUFFICIENT_LIQUIDITY)/,
          );
        }
        await deal(pool.address, tokenIn, reserveOf(pool, tokenIn) + swap.amountIn);
        sender.call(pool.address, abi, 'swap', swapArguments(pool, tokenIn, swap.amountOut));
        mined++;
        return moved(pool, tokenIn, swap);
      }),
    );
    await sender.mine();
    const real = await Promise.all(settled.map(reservesOf));
    expect(settled.map(({ reserve0, reserve1 }) => [reserve0, reserve1])).toEqual(real);
    states = settled;
  }
  expect(mined).toBeGreaterThanOrEqual(SWAPS);
}

function moved(pool: ConstantProductPool, tokenIn: Address, swap: Amounts): ConstantProductPool {
  const [in0, in1] = tokenIn === pool.token0 ? [swap.amountIn, 0n] : [0n, swap.amountIn];
  const [out0, out1] = tokenIn === pool.token0 ? [0n, swap.amountOut] : [swap.amountOut, 0n];
  return {
    ...pool,
    reserve0: pool.reserve0 + in0 - out0,
    reserve1: pool.reserve1 + in1 - out1,
  };
}

/** Puts the input into the pair and calls its `swap` without mining. */
async function simulateSwap(
  pool: ConstantProductPool,
  tokenIn: Address,
  { amountIn, amountOut }: Amounts,
): Promise<void> {
  await deal(pool.address, tokenIn, reserveOf(pool, tokenIn) + amountIn);
  await reader.simulateContract({
    address: pool.address,
    abi: artifact('v2Pair').abi,
    functionName: 'swap',
    args: swapArguments(pool, tokenIn, amountOut),
    account: contracts.deployer,
  });
}

function swapArguments(
  pool: ConstantProductPool,
  tokenIn: Address,
  amountOut: bigint,
): readonly unknown[] {
  const outs = tokenIn === pool.token0 ? [0n, amountOut] : [amountOut, 0n];
  return [...outs, contracts.deployer, '0x'];
}

function reserveOf(pool: ConstantProductPool, token: Address): bigint {
  return token === pool.token0 ? pool.reserve0 : pool.reserve1;
}

async function reservesOf(pool: ConstantProductPool): Promise<[bigint, bigint]> {
  const [reserve0, reserve1] = await readFrom<readonly [bigint, bigint, number]>(
    reader,
    pool.address,
    artifact('v2Pair').abi,
    'getReserves',
  );
  return [reserve0, reserve1];
}

type RandomSwap<State> = {
  readonly pool: State;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amount: bigint;
};

/** Swaps over all pools and both directions: from one base unit to four times the most. */
function randomSwaps<State extends ConcentratedPool>(
  among: readonly State[],
  most: (pool: State, tokenIn: Address) => bigint,
): RandomSwap<State>[] {
  return Array.from({ length: SWAPS }, (_, i) => {
    const pool = among[i % among.length] as State;
    const down = Math.floor(i / among.length) % 2 === 0;
    const tokenIn = down ? pool.token0 : pool.token1;
    const tokenOut = down ? pool.token1 : pool.token0;
    const bits = most(pool, tokenIn).toString(2).length + 2;
    return { pool, tokenIn, tokenOut, amount: sample(logUniform(bits), i) };
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

/** Returns the amount on the other side, and the price after. */
function callQuoter(name: string, quote: object): Promise<readonly [bigint, bigint]> {
  return readFrom(reader, contracts.quoterV2, artifact('quoterV2').abi, name, [quote]);
}

function deal(holder: Address, token: Address, balance: bigint): Promise<unknown> {
  return rpc(reader, 'anvil_dealERC20', [holder, token, toHex(balance)]);
}

/** But for those of the token whose balances Anvil cannot set. */
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
