import { createRequire } from 'node:module';
import fc from 'fast-check';
import { type Address as ChainAddress, maxUint256, toHex, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnvilNode } from '../../../conformance/execution/node/anvil.ts';
import { artifact, ownArtifact } from '../../../fixtures/chains/artifacts.ts';
import type { SingletonContracts } from '../../../fixtures/chains/contracts.ts';
import { startFixtureChain } from '../../../fixtures/chains/fixture-chain.ts';
import {
  type ChainReader,
  createReader,
  createSender,
  rpc,
  type Sender,
} from '../../../fixtures/chains/sender.ts';
import { addLiquidity, initialize } from '../../../fixtures/chains/singleton-pools.ts';
import { loadEmbeddedMarkets } from '../../market/embedded-markets.ts';
import { openLiveMarket } from '../../market/live/live-market.ts';
import { createNodeClient, type NodeClient } from '../../market/live/node-client.ts';
import { entryOf } from '../../market/live/pools-file.ts';
import { readIdentities, readStates } from '../../market/live/read-chain.ts';
import type { Address } from '../domain/address.ts';
import { anySingletonPool, concentratedPool, logUniform, poolAfter } from './pools.testing.ts';
import { type SingletonPool, singleton } from './singleton.ts';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from './tick-math.ts';

const IS_LONG = process.env['SWAPCHECK_LONG'] === '1';
const SWAPS = IS_LONG ? 12_000 : 480;
/** Random pools have overlapping ranges, gaps, and prices on a tick and beyond all liquidity. */
const OPENED = IS_LONG ? 400 : 40;
const SEED = 20_260_101;
const { keyOf } = singleton.universalRouter;
const WEALTH = 1n << 200n;

type Contracts = SingletonContracts & { readonly deployer: ChainAddress };
const contracts: Contracts = createRequire(import.meta.url)(
  '#fixtures/markets/31337.contracts.json',
);
const market = loadEmbeddedMarkets().find(({ chainId }) => chainId === 31337);
const pools = market?.pools.filter((pool) => pool.family === 'singleton') ?? [];

let opened: readonly SingletonPool[];
let node: AnvilNode;
let client: NodeClient;
let reader: ChainReader;
let sender: Sender;

beforeAll(async () => {
  node = await startFixtureChain(31337);
  reader = createReader(node.url);
  client = createNodeClient(node.url);
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
  opened = await openAny();
});

afterAll(() => node?.stop());

async function openAny(): Promise<readonly SingletonPool[]> {
  const [{ address, source, token0, token1 }] = pools.filter((pool) => !pool.isNative) as [
    SingletonPool,
  ];
  const made: SingletonPool[] = [];
  for (const [index, any] of fc
    .sample(anySingletonPool, { seed: SEED, numRuns: OPENED })
    .entries()) {
    let sum = 0n;
    const positions = any.ticks.flatMap((tick, at) => {
      sum += tick.liquidityNet;
      const upper = any.ticks[at + 1]?.index ?? 0;
      // Truncate to an amount that the manager can represent.
      const liquidity = BigInt.asUintN(80, sum) + 1n;
      return sum > 0n ? [{ lower: tick.index, upper, liquidity }] : [];
    });
    // Its own fee makes each pool's key unique.
    const terms = { feePips: 7 * index + 1, tickSpacing: any.tickSpacing };
    const ranges = concentratedPool(positions, any.sqrtPriceX96, terms);
    const identity = { address, source, token0, token1, isNative: false } as const;
    const pool: SingletonPool = { ...any, ...ranges, ...identity, family: 'singleton' };
    const key = keyOf(pool);
    initialize(sender, contracts, key, pool.sqrtPriceX96, pool.protocolFee);
    for (const position of positions) addLiquidity(sender, contracts, key, position);
    await sender.mine();
    made.push(pool);
  }
  const entries = { pools: made.map(entryOf), wrappedNative: '' };
  const named = await readIdentities(client, entries, await client.client.getBlock());
  return made.map((pool, index) => ({ ...pool, poolId: named[index]?.poolId ?? '' }));
}

describe.each([
  ['inputs', 'swapExactInput', -1n],
  ['outputs', 'swapExactOutput', 1n],
] as const)('exact %s', (_, swap, sign) => {
  test(`${SWAPS} random swaps -> the amounts of the PoolManager`, async () => {
    const directions = [...pools, ...opened].flatMap((pool) =>
      [pool.token0, pool.token1].map((tokenIn) => {
        const curve = singleton.curve(pool, tokenIn);
        return { pool, zeroForOne: tokenIn === pool.token0, curve, max: curve[swap](1n << 127n) };
      }),
    );
    let filled = 0;
    for (let start = 0; start < SWAPS; start += 200) {
      const batch = Array.from({ length: Math.min(200, SWAPS - start) }, (_, i) => start + i);
      await Promise.all(
        batch.map(async (index) => {
          const { pool, zeroForOne, curve, max } = directions[
            index % directions.length
          ] as (typeof directions)[number];
          const amount = amountFor(sign < 0n ? max.amountIn : max.amountOut, index);
          const ours = curve[swap](amount);
          const delta = await swapOnChain(pool, zeroForOne, sign * amount);
          if (delta === undefined) {
            expect(ours.kind).toBe('exhausted');
            expect([max.amountIn, max.amountOut]).toEqual([ours.amountIn, ours.amountOut]);
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

function amountFor(max: bigint, index: number): bigint {
  const nearMax = max + BigInt((index % 7) - 1);
  if (index % 7 < 3 && nearMax > 0n) return nearMax;
  const bits = max.toString(2).length + 1;
  return fc.sample(logUniform(bits), { seed: SEED + index, numRuns: 1 })[0] ?? 1n;
}

test('mined swaps through random pools -> the price, tick and liquidity of the model', async () => {
  const stateOf = ({
    sqrtPriceX96,
    tick,
    liquidity,
  }: Pick<SingletonPool, 'tick'> & { sqrtPriceX96: unknown; liquidity: unknown }) =>
    `${sqrtPriceX96} ${tick} ${liquidity}`;
  let states = opened;
  for (let round = 0; round < 5; round++) {
    states = states.map((pool, place) => {
      const zeroForOne = (round + place) % 2 === 0;
      const tokenIn = zeroForOne ? pool.token0 : pool.token1;
      const curve = singleton.curve(pool, tokenIn);
      const { amountIn: max } = curve.swapExactInput(1n << 127n);
      let amount = amountFor(max, OPENED * round + place);
      // The amount must not exceed the maximum, and its swap must fit into a transaction's gas.
      while (amount > max || curve.gas(amount, 0) > 2_000_000) amount /= 2n;
      if (amount === 0n) return pool;
      const args = swapArgs(pool, zeroForOne, -amount);
      sender.call(contracts.poolSwap, artifact('poolSwap').abi, 'swap', args);
      return poolAfter({ pool, tokenIn, tokenOut: zeroForOne ? pool.token1 : pool.token0 }, amount);
    });
    await sender.mine();
    const block = await client.client.getBlock();
    const read = await readStates(client, opened, block, async () => []);
    expect((read as never[]).map(stateOf)).toEqual(states.map(stateOf));
  }
});

test('consecutive mined swaps and a new position -> pools read from the node equal the model', async () => {
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
      const curve = singleton.curve(pool, tokenIn);
      const max = curve.swapExactInput(1n << 127n).amountIn;
      const spread = max > 10n ** 24n ? 10n ** 20n : max;
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
      return poolAfter({ pool, tokenIn, tokenOut: zeroForOne ? pool.token1 : pool.token0 }, amount);
    });
    await sender.mine();
    expect((await live.readNext())?.pools).toEqual(next);
    states = next;
  }
  const [first] = states as [SingletonPool];
  const lower = Math.floor(first.tick / first.tickSpacing) * first.tickSpacing;
  const range = { lower, upper: lower + first.tickSpacing, liquidity: 12_345n };
  addLiquidity(sender, contracts, keyOf(first), range, 10n ** 18n);
  await sender.mine();
  const [growth, ...others] = ((await live.readNext())?.pools ?? []) as SingletonPool[];
  expect(others).toEqual(states.slice(1));
  expect(growth?.liquidity).toBe(first.liquidity + 12_345n);
  expect(growth).toEqual((await openLiveMarket(file, node.url)).market.pools[0]);
});

function swapArgs(pool: SingletonPool, zeroForOne: boolean, amountSpecified: bigint) {
  const sqrtPriceLimitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  const params = { zeroForOne, amountSpecified, sqrtPriceLimitX96 };
  return [
    { ...keyOf(pool), hooks: zeroAddress },
    params,
    { takeClaims: false, settleUsingBurn: false },
    '0x',
  ];
}

function nativeOf(pool: SingletonPool, tokenIn: Address, amount: bigint): bigint {
  return pool.isNative && tokenIn === pool.token0 ? amount : 0n;
}

/** `SafeCastOverflow()`: the manager cannot account for the amount. */
const TOO_LARGE = '0x93dafdf1';

/**
 * Returns the swap's balance changes: token0 in the upper 128 bits, token1 in the lower. Undefined
 * if the amount is too large.
 */
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
