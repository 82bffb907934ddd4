import { createRequire } from 'node:module';
import fc from 'fast-check';
import { type Address as ChainAddress, maxUint256, toHex, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnvilNode } from '../../conformance/execution/anvil.ts';
import { startFixtureChain } from '../../scripts/fixture-chain.ts';
import { artifact, ownArtifact } from '../../scripts/fixtures/artifacts.ts';
import type { SingletonContracts } from '../../scripts/fixtures/contracts.ts';
import {
  type ChainReader,
  createReader,
  createSender,
  rpc,
  type Sender,
} from '../../scripts/fixtures/sender.ts';
import { modifyLiquidityAbi } from '../../scripts/fixtures/singleton-pools.ts';
import type { Address } from '../domain/address.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import { openLiveMarket } from '../market/live/live-market.ts';
import { entryOf } from '../market/live/pool-entries.ts';
import { logUniform } from './pools.testing.ts';
import { type SingletonPool, singleton } from './singleton.ts';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from './tick-math.ts';

/** Swaps of each kind, spread over all pools and both directions. */
const SWAPS = process.env['SWAPCHECK_LONG'] ? 6000 : 120;
const SEED = 20_260_101;
const WEALTH = 1n << 200n;

type Contracts = SingletonContracts & { readonly deployer: ChainAddress };
const contracts: Contracts = createRequire(import.meta.url)(
  '#fixtures/markets/31337.contracts.json',
);
const market = loadEmbeddedMarkets().find(({ chainId }) => chainId === 31337);
const pools = market?.pools.filter((pool) => pool.family === 'singleton') ?? [];

let node: AnvilNode;
let reader: ChainReader;
let sender: Sender;

beforeAll(async () => {
  node = await startFixtureChain(31337);
  reader = createReader(node.url);
  await rpc(reader, 'evm_setBlockGasLimit', [toHex(3_000_000_000)]);
  await rpc(reader, 'evm_mine');
  sender = await createSender(reader, contracts.deployer);
  const { abi } = ownArtifact('standard-token');
  for (const token of new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))) {
    await rpc(reader, 'anvil_dealERC20', [contracts.deployer, token, toHex(WEALTH)]);
    for (const spender of [contracts.poolSwap, contracts.modifyLiquidity]) {
      sender.call(token, abi, 'approve', [spender, maxUint256]);
    }
  }
  await sender.mine();
});

afterAll(() => node?.stop());

describe.each([
  ['inputs', singleton.swapExactInput, -1n],
  ['outputs', singleton.swapExactOutput, 1n],
] as const)('exact %s', (_, swap, sign) => {
  test(`${SWAPS} random ones -> what the PoolManager takes and gives`, async () => {
    const ways = pools.flatMap((pool) => [
      { pool, tokenIn: pool.token0, zeroForOne: true },
      { pool, tokenIn: pool.token1, zeroForOne: false },
    ]);
    let filled = 0;
    for (let start = 0; start < SWAPS; start += 200) {
      const batch = Array.from({ length: Math.min(200, SWAPS - start) }, (_, i) => start + i);
      await Promise.all(
        batch.map(async (index) => {
          const { pool, tokenIn, zeroForOne } = ways[index % ways.length] as (typeof ways)[number];
          const most = swap(pool, tokenIn, 1n << 127n);
          const bits = (sign < 0n ? most.amountIn : most.amountOut).toString(2).length + 1;
          const amount = fc.sample(logUniform(bits), { seed: SEED + index, numRuns: 1 })[0] ?? 1n;
          const ours = swap(pool, tokenIn, amount);
          const delta = await swapOnChain(pool, zeroForOne, sign * amount);
          if (delta === undefined) {
            expect(ours.kind).toBe('exhausted');
            expect([most.amountIn, most.amountOut]).toEqual([ours.amountIn, ours.amountOut]);
            return;
          }
          const [delta0, delta1] = [delta >> 128n, BigInt.asIntN(128, delta)];
          const theirs = zeroForOne ? [-delta0, delta1] : [-delta1, delta0];
          expect([ours.amountIn, ours.amountOut]).toEqual(theirs);
          if (ours.kind === 'filled') filled++;
        }),
      );
    }
    expect(filled).toBeGreaterThan(SWAPS / 2);
  }, 1_800_000);
});

test('swaps mined one after another, a position opened -> the pools that the model has, read live', async () => {
  const file = {
    format: 1 as const,
    chainId: 31337,
    name: 'Test',
    usdToken: market?.usdToken ?? '',
    wrappedNative: market?.wrappedNative ?? '',
    pools: pools.map(entryOf),
    routers: [{ name: 'default-router' as const, address: zeroAddress, sources: ['UniswapV4'] }],
  };
  const live = await openLiveMarket(file, node.url);
  expect(live.market.pools).toEqual(pools);
  let states: readonly SingletonPool[] = pools;
  for (let round = 0; round < 6; round++) {
    const next = states.map((pool, place) => {
      const zeroForOne = (round + place) % 2 === 0;
      const tokenIn = zeroForOne ? pool.token0 : pool.token1;
      const most = singleton.swapExactInput(pool, tokenIn, 1n << 127n).amountIn;
      const spread = most > 10n ** 24n ? 10n ** 20n : most;
      const amount = spread / BigInt(30 + 7 * round) + 1n;
      const { poolSwap } = contracts;
      const { abi } = artifact('poolSwap');
      sender.call(
        poolSwap,
        abi,
        'swap',
        swapArgs(pool, zeroForOne, -amount),
        nativeOf(pool, tokenIn, amount),
      );
      return singleton.afterExactInput(pool, tokenIn, amount);
    });
    await sender.mine();
    expect((await live.readNext())?.pools).toEqual(next);
    states = next;
  }
  const [first] = states as [SingletonPool];
  const lower = Math.floor(first.tick / first.tickSpacing) * first.tickSpacing;
  const range = { tickLower: lower, tickUpper: lower + first.tickSpacing };
  const change = { ...range, liquidityDelta: 12_345n, salt: toHex(0, { size: 32 }) };
  const args = [keyOf(first), change, '0x'];
  const abi = modifyLiquidityAbi();
  sender.call(contracts.modifyLiquidity, abi, 'modifyLiquidity', args, 10n ** 18n);
  await sender.mine();
  const [opened, ...others] = ((await live.readNext())?.pools ?? []) as SingletonPool[];
  expect(others).toEqual(states.slice(1));
  expect(opened?.liquidity).toBe(first.liquidity + 12_345n);
  expect(opened).toEqual((await openLiveMarket(file, node.url)).market.pools[0]);
});

function keyOf(pool: SingletonPool) {
  const { fee, ...rest } = entryOf(pool).key ?? { fee: 0 };
  return { ...rest, fee, hooks: zeroAddress };
}

function swapArgs(pool: SingletonPool, zeroForOne: boolean, amountSpecified: bigint) {
  const sqrtPriceLimitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  const params = { zeroForOne, amountSpecified, sqrtPriceLimitX96 };
  return [keyOf(pool), params, { takeClaims: false, settleUsingBurn: false }, '0x'];
}

function nativeOf(pool: SingletonPool, tokenIn: Address, amount: bigint): bigint {
  return pool.isNative && tokenIn === pool.token0 ? amount : 0n;
}

/** `SafeCastOverflow()`: an amount that the manager cannot keep account of. */
const TOO_LARGE = '0x93dafdf1';

/** Returns what a swap changes: of token0 in the upper 128 bits, of token1 in the lower; undefined if that is too much. */
async function swapOnChain(
  pool: SingletonPool,
  zeroForOne: boolean,
  amountSpecified: bigint,
): Promise<bigint | undefined> {
  const simulated = reader.simulateContract({
    account: contracts.deployer,
    address: contracts.poolSwap,
    abi: artifact('poolSwap').abi,
    functionName: 'swap',
    args: swapArgs(pool, zeroForOne, amountSpecified),
    value: pool.isNative && zeroForOne ? WEALTH : 0n,
    stateOverride: [{ address: contracts.deployer, balance: 2n * WEALTH }],
  });
  return simulated.then(
    ({ result }) => result as bigint,
    (error: Error) => {
      if (!error.message.includes(TOO_LARGE)) throw error;
      return undefined;
    },
  );
}
