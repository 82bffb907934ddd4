import fc from 'fast-check';
import { maxUint256, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnvilNode, startAnvil } from '../../../conformance/execution/node/anvil.ts';
import { artifact, ownArtifact } from '../../../fixtures/chains/artifacts.ts';
import { type BalancerContracts, deployBalancer } from '../../../fixtures/chains/contracts.ts';
import { poolEntry } from '../../../fixtures/chains/opening.ts';
import {
  type ChainReader,
  createReader,
  createSender,
  rpc,
  type Sender,
} from '../../../fixtures/chains/sender.ts';
import type { VaultPoolSpec } from '../../../fixtures/chains/spec.ts';
import { stable, token, weighted } from '../../../fixtures/chains/spec.ts';
import { deployTokens } from '../../../fixtures/chains/tokens.ts';
import { openVaultPool, poolsCreatedBy } from '../../../fixtures/chains/vault-pools.ts';
import { type LiveMarket, openLiveMarket } from '../../market/live/live-market.ts';
import type { Address } from '../domain/address.ts';
import {
  directionsOf,
  familyOf,
  type Pool,
  type PoolDirection,
  swapExactInput,
  swapExactOutput,
} from './families.ts';
import { heldOf, logUniform, poolAfter } from './pools.testing.ts';
import type { StablePool } from './stable.ts';
import type { WeightedPool } from './weighted.ts';

const SWAPS = process.env['SWAPCHECK_LONG'] ? 4000 : 150;
const SEED = 20_260_101;
const CHAIN_ID = 31_339;

const TOKENS = [
  token('DAI', 'Dai', 18, '1.0002'),
  token('USDC', 'USD Coin', 6, '1'),
  token('GUSD', 'Gemini dollar', 2, '0.998'),
  token('EURC', 'Euro Coin', 6, '1.0832'),
  token('WBTC', 'Wrapped BTC', 8, '64210.8'),
  token('SHIB', 'Shiba Inu', 18, '0.00001184'),
  token('TICKET', 'Ferry Ticket', 0, '5.2'),
  token('UNI', 'Uniswap', 18, '8.061'),
];
const PARTS = [12, 13, 11, 14, 30, 5, 5, 10];
const PARTS_OF_ALL = Object.fromEntries(TOKENS.map(({ symbol }, at) => [symbol, PARTS[at] ?? 0]));
const POOLS: readonly VaultPoolSpec[] = [
  stable(100, 200, { DAI: 50, USDC: 50 }, 9_000_000),
  stable(1, 5000, { DAI: 100 / 3, USDC: 100 / 3, GUSD: 100 / 3 }, 70_000),
  stable(4000, 1, { USDC: 25, GUSD: 25, DAI: 25, EURC: 25 }, 1_000_000),
  weighted(3000, { DAI: 20, WBTC: 80 }, 4_000_000),
  weighted(1, { UNI: 50, SHIB: 25, USDC: 25 }, 500_000),
  weighted(10_000, PARTS_OF_ALL, 2_000_000),
];

let node: AnvilNode;
let reader: ChainReader;
let sender: Sender;
let contracts: BalancerContracts;
let live: LiveMarket;
let pools: readonly (StablePool | WeightedPool)[];

beforeAll(async () => {
  node = await startAnvil({ chainId: CHAIN_ID, gasLimit: 3_000_000_000 });
  reader = createReader(node.url);
  const [account] = await rpc<[`0x${string}`]>(reader, 'eth_accounts');
  sender = await createSender(reader, account);
  const wrappedNative = sender.deploy(artifact('weth9'));
  const protocol = { wrappedNative, positionManager: zeroAddress };
  const tokens = deployTokens(sender, { tokens: TOKENS }, protocol);
  contracts = deployBalancer(sender, protocol);
  const nthOf = (family: string, index: number) =>
    POOLS.slice(0, index).filter((pool) => pool.family === family).length;
  const openings = POOLS.map((pool, index) =>
    openVaultPool({ reader, sender, contracts, tokens }, pool, index, nthOf(pool.family, index)),
  );
  for (const { create } of openings) create();
  await sender.mine();
  for (const { fill } of openings) await fill();
  for (const { address } of tokens.values()) {
    sender.call(address, ownArtifact('standard-token').abi, 'approve', [
      contracts.vault,
      maxUint256,
    ]);
  }
  await sender.mine();
  live = await openMarket(wrappedNative.toLowerCase());
  pools = live.market.pools as typeof pools;
});

afterAll(() => node?.stop());

async function openMarket(wrappedNative: string): Promise<LiveMarket> {
  const created = (['stable', 'weighted'] as const).map(async (family) => {
    const addresses = await poolsCreatedBy(reader, contracts, family);
    return addresses.map((address) => poolEntry(family, address, 'Vault'));
  });
  return openLiveMarket(
    {
      format: 1,
      chainId: CHAIN_ID,
      name: 'Test',
      ...{ usdToken: wrappedNative, wrappedNative },
      pools: (await Promise.all(created)).flat(),
      routers: [{ name: 'default-router', address: zeroAddress, sources: ['Vault'] }],
    },
    node.url,
  );
}

test('every family and number of tokens -> the state in which the pool was created', () => {
  expect(pools.map(({ family, tokens }) => `${family} ${tokens.length}`)).toEqual(
    POOLS.map(({ family, tokens }) => `${family} ${tokens.length}`),
  );
  expect(pools.map((pool) => familyOf(pool).feePips(pool))).toEqual(
    POOLS.map(({ feePips }) => feePips),
  );
  for (const [index, pool] of pools.entries()) {
    const spec = POOLS[index];
    if (pool.family === 'stable' && spec?.family === 'stable') {
      expect(pool.amplification).toBe(1000n * BigInt(spec.amplification));
    } else if (pool.family === 'weighted' && spec?.family === 'weighted') {
      const parts = pool.weights.map((weight) => Number(weight / 10n ** 16n));
      expect(parts.sort()).toEqual([...spec.weights].sort());
    }
  }
});

describe.each(['stable', 'weighted'] as const)('%s', (family) => {
  const allDirections = () =>
    pools.filter((pool) => pool.family === family).flatMap((pool) => directionsOf(pool));

  test.each([
    ['inputs', 0],
    ['outputs', 1],
  ] as const)(`${SWAPS} random exact %s -> the amount of BalancerQueries`, async (_, kind) => {
    let exhausted = 0;
    await inBatches(SWAPS, async (index) => {
      const direction = allDirections()[index % allDirections().length] as PoolDirection;
      const amount = amountFor(
        direction,
        kind === 0 ? direction.tokenIn : direction.tokenOut,
        index,
      );
      const ours =
        kind === 0 ? swapExactInput(direction, amount) : swapExactOutput(direction, amount);
      const other = kind === 0 ? ours.amountOut : ours.amountIn;
      const theirs = await query(direction, kind, amount);
      if (ours.kind === 'exhausted') {
        exhausted++;
        if (theirs === undefined) return;
        const [amountIn, amountOut] = kind === 0 ? [amount, theirs] : [theirs, amount];
        expectBeyond(direction, amountIn, amountOut);
      } else if (other > 0n) expect(theirs).toBe(other);
      else expect(theirs ?? 0n).toBe(0n);
    });
    expect(exhausted).toBeLessThan(SWAPS / 2);
  });

  test('consecutive mined swaps -> the balances of the model', async () => {
    let states: readonly Pool[] = pools.filter((pool) => pool.family === family);
    for (let round = 0; round < 6; round++) {
      const next = states.map((pool, place) => {
        const directions = directionsOf(pool);
        const direction = directions[(round * 5 + place) % directions.length] as PoolDirection;
        const amount = heldOf(pool, direction.tokenIn) / BigInt(40 + round) + 1n;
        expect(swapExactInput(direction, amount).kind).toBe('filled');
        sender.call(contracts.vault, artifact('vault').abi, 'swap', [
          singleSwap(direction, 0, amount),
          FUNDS(),
          0n,
          maxUint256,
        ]);
        return poolAfter({ ...direction, pool }, amount);
      });
      await sender.mine();
      const real = (await live.readNext())?.pools.filter((pool) => pool.family === family);
      expect(next).toEqual(real);
      states = next;
    }
  });
});

/**
 * Expects that the contract's swap exceeds the limits of the model: the maximum fraction of a
 * balance for a weighted pool, or the maximum sale for a stable pool.
 */
function expectBeyond(
  { pool, tokenIn, tokenOut }: PoolDirection,
  amountIn: bigint,
  amountOut: bigint,
): void {
  const [heldIn, heldOut] = [heldOf(pool, tokenIn), heldOf(pool, tokenOut)];
  if (pool.family === 'weighted') {
    expect(10n * amountOut > 3n * heldOut || 10n * amountIn >= 3n * heldIn).toBe(true);
  } else expect(amountIn > 16n * heldIn).toBe(true);
}

function amountFor({ pool }: PoolDirection, held: Address, index: number): bigint {
  const bits = heldOf(pool, held).toString(2).length + 1;
  return fc.sample(logUniform(bits), { seed: SEED + index, numRuns: 1 })[0] ?? 1n;
}

const FUNDS = () => ({
  sender: sender.address,
  fromInternalBalance: false,
  recipient: sender.address,
  toInternalBalance: false,
});

function singleSwap({ pool, tokenIn, tokenOut }: PoolDirection, kind: 0 | 1, amount: bigint) {
  const poolId = 'poolId' in pool ? pool.poolId : '';
  return { poolId, kind, assetIn: tokenIn, assetOut: tokenOut, amount, userData: '0x' };
}

async function query(
  direction: PoolDirection,
  kind: 0 | 1,
  amount: bigint,
): Promise<bigint | undefined> {
  return reader
    .simulateContract({
      address: contracts.balancerQueries,
      abi: artifact('balancerQueries').abi,
      functionName: 'querySwap',
      args: [singleSwap(direction, kind, amount), FUNDS()],
    })
    .then(({ result }) => result as bigint)
    .catch(() => undefined);
}

async function inBatches(count: number, each: (index: number) => Promise<void>): Promise<void> {
  for (let start = 0; start < count; start += 250) {
    const size = Math.min(250, count - start);
    await Promise.all(Array.from({ length: size }, (_, i) => each(start + i)));
  }
}
