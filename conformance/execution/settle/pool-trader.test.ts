import { createRequire } from 'node:module';
import {
  type Abi,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  pad,
} from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isolated, mineAll } from '../../../fixtures/testing/send.testing.ts';
import type { PoolYields, SwapPlan, TokenAmount } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { JsonRpcError, quantity, type Rpc } from '../node/json-rpc.ts';
import { encodeCall, startOddChain } from '../odd-chain.testing.ts';
import { impossible, isImpossible } from './impossible.ts';
import { searchMarkets } from './market-search.ts';
import {
  MILLION,
  moveCall,
  type PoolTrade,
  poolTradeOf,
  readFailure,
  readYields,
  tradeCall,
  traderAt,
} from './pool-trader.ts';
import { stateOf } from './simulate.ts';

const require = createRequire(import.meta.url);
/** The account that trades directly with pools. Nobody has its key. */
const TRADER: Address = '0x00000000000000000000000000000000c0ffee04';

function tradeOf(plan: SwapPlan, wrappedNative?: Address, native = false): PoolTrade {
  const sides = { sellNative: native, buyNative: native };
  const trade = poolTradeOf(plan, { wrappedNative, nativeToken: undefined, ...sides });
  if (isImpossible(trade)) throw new Error(trade.why);
  return trade;
}

async function settleThroughPools(rpc: Rpc, trade: PoolTrade): Promise<PoolYields> {
  const { to, data } = tradeCall(trade, MILLION, { from: TRADER, to: TRADER });
  const call = { from: TRADER, to, data, gas: quantity(1_000_000_000n) };
  try {
    const returned = await rpc<Hex>('eth_call', [
      call,
      'latest',
      stateOf(traderAt(TRADER).overrides),
    ]);
    return { kind: 'settled', yields: readYields(trade, returned) };
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    return readFailure(trade, error.data as Hex | undefined);
  }
}

describe('pools of other kinds', () => {
  const [A, B] = [0, 1];
  let chain: Awaited<ReturnType<typeof startOddChain>>;
  let tokens: readonly [Address, Address];
  const legOf = (token: number, amount: bigint): TokenAmount => ({
    token: tokens[token] as Address,
    amount,
  });

  beforeAll(async () => {
    chain = await startOddChain(42_220);
    tokens = [await chain.deploy('PlainToken'), await chain.deploy('PlainToken')];
    for (const token of tokens) {
      await chain.send(token, encodeCall('PlainToken', 'transfer', [TRADER, 10n ** 28n]));
    }
  });

  afterAll(() => chain.node.stop());

  const planOf = (from: TokenAmount, ...hops: readonly (readonly [Address, TokenAmount])[]) => {
    const steps = hops.map(([pool, to], index) => ({
      ...{ pool, source: 'Pools', to: [to] },
      from: [index === 0 ? from : (hops[index - 1]?.[1] as TokenAmount)],
    }));
    const buy = hops.at(-1)?.[1] as TokenAmount;
    const plan = { sell: from, buy, steps, tokens, decimals: new Map(), transaction: undefined };
    return tradeOf(plan);
  };
  const addPair = async (feeBp: bigint, reserves: readonly [bigint, bigint]) => {
    const pair = await chain.deploy('FeePair', [...tokens, feeBp]);
    for (const [index, token] of tokens.entries()) {
      await chain.send(token, encodeCall('PlainToken', 'transfer', [pair, reserves[index]]));
    }
    await chain.send(pair, encodeCall('FeePair', 'sync', []));
    return pair;
  };
  const settle = (trade: PoolTrade) => settleThroughPools(chain.rpc, trade);

  test.each([0n, 1n, 17n, 25n, 30n, 100n, 255n, 256n, 300n, 9_000n])(
    'a pair with a fee of %s bps -> the maximum output',
    async (feeBp) => {
      const pair = await addPair(feeBp, [10n ** 21n, 3n * 10n ** 21n]);
      const sold = 10n ** 18n + 12_345n;
      const kept = sold * (10_000n - feeBp);
      const received = (kept * 3n * 10n ** 21n) / (10n ** 25n + kept);
      expect(await settle(planOf(legOf(A, sold), [pair, legOf(B, 1n)]))).toMatchObject({
        kind: 'settled',
        yields: [{ sold, received }],
      });
    },
  );

  test('a pair without liquidity -> failed, with its step', async () => {
    const pair = await addPair(30n, [0n, 0n]);
    expect(await settle(planOf(legOf(A, 10n ** 18n), [pair, legOf(B, 1n)]))).toMatchObject({
      ...{ kind: 'failed', step: { pool: pair } },
      reason: expect.stringMatching(`^the pool ${pair} of "Pools" reverted`),
    });
  });

  test('a pool of Algebra -> the yield of its curve', async () => {
    const pool = await openAlgebra(chain, tokens);
    const [lower, upper] = [...tokens].sort();
    const sold = 10n ** 18n;
    for (const [token, other] of [
      [lower, upper],
      [upper, lower],
    ] as const) {
      const trade = planOf({ token: token as Address, amount: sold }, [
        pool,
        { token: other as Address, amount: 1n },
      ]);
      // At a price of 1 and a fee of 0.05%, the result is x L / (L + x), with the price rounded
      // against the trader.
      const kept = (sold * 999_500n) / 1_000_000n;
      const exact = (kept * LIQUIDITY) / (LIQUIDITY + kept);
      const done = await settle(trade);
      expect(done).toMatchObject({ kind: 'settled', yields: [{ sold }] });
      const received = done.kind === 'settled' ? (done.yields[0]?.received ?? 0n) : 0n;
      expect(exact - received).toBeGreaterThanOrEqual(0n);
      expect(exact - received).toBeLessThanOrEqual(1n);
    }
  });

  test('a contract that is not a pool, and an account without code -> unknown', async () => {
    for (const pool of [tokens[0], TRADER.replace('04', '99') as Address]) {
      expect(await settle(planOf(legOf(A, 5n), [pool, legOf(B, 5n)]))).toMatchObject({
        kind: 'unknown',
        reason: `the pool ${pool} of "Pools" is neither V2-like nor V3-like`,
      });
    }
  });

  test('markets around limits -> near each limit, with the yields that mined trades confirm', async () => {
    const pair = await addPair(30n, [10n ** 21n, 10n ** 21n]);
    const plan = planOf(legOf(A, 10n ** 18n), [pair, legOf(B, 1n)]);
    const present = await settle(plan);
    const quoted = present.kind === 'settled' ? (present.yields[0]?.received ?? 0n) : 0n;
    const limits = [(quoted * 99n) / 100n, (quoted * 95n) / 100n];
    const markets = await searchMarkets(chain, {
      ...{
        account: TRADER,
        provision: traderAt(TRADER),
        moving: plan,
        measured: { trade: plan, millionths: MILLION },
      },
      search: { first: 8n, last: MILLION << 12n, nearness: MILLION / 11n, rises: false, limits },
    });
    expect(markets[0]).toEqual({ move: 0n, received: quoted });
    for (const limit of limits) {
      const before = markets.findLast(({ received }) => received >= limit);
      const past = markets.find(({ received }) => received < limit);
      expect(Number(past?.move) / Number(before?.move)).toBeLessThan(1.1);
    }
    for (const { move, received } of markets) {
      const left = await isolated(chain.rpc, async () => {
        await chain.rpc('anvil_setCode', [TRADER, traderAt(TRADER).overrides[TRADER]?.code]);
        if (move > 0n) {
          const moving = moveCall(plan, move, { from: chain.deployer, to: TRADER });
          expect(await mineAll(chain.rpc, chain.deployer, [moving])).toEqual([]);
        }
        return settle(plan);
      });
      expect(left).toMatchObject({ kind: 'settled', yields: [{ received }] });
    }
  });

  test.each([
    ['a plan that cannot be settled', 10n ** 29n, []],
    ['no move', 10n ** 18n, [0n]],
  ])('%s -> only the present market, if it settles there', async (_, sold, moves) => {
    const pair = await addPair(30n, [10n ** 21n, 10n ** 21n]);
    const plan = planOf(legOf(A, sold), [pair, legOf(B, 1n)]);
    const markets = await searchMarkets(chain, {
      ...{
        account: TRADER,
        provision: traderAt(TRADER),
        moving: plan,
        measured: { trade: plan, millionths: MILLION },
      },
      search: { first: 1n, last: 0n, nearness: 0n, rises: false, limits: [] },
    });
    expect(markets.map(({ move }) => move)).toEqual(moves);
  });
});

describe('poolTradeOf', () => {
  const [SELL, MID, BUY, POOL] = ['1', '2', '3', '9'].map((digit) => `0x${digit.repeat(40)}`) as [
    Address,
    Address,
    Address,
    Address,
  ];
  const leg = (token: Address, amount: bigint) => ({ token, amount });
  const plan = (steps: SwapPlan['steps'], sell = SELL): SwapPlan => ({
    ...{ sell: leg(sell, 10n), buy: leg(BUY, 8n), steps },
    ...{ tokens: [SELL, MID, BUY], decimals: new Map(), transaction: undefined },
  });
  const step = (from: readonly TokenAmount[], to: readonly TokenAmount[], pool: string = POOL) => ({
    ...{ pool, source: 'Pools', from, to },
  });
  const wrapped = { wrappedNative: SELL, nativeToken: undefined };

  test('a split and a merge in any order -> each swap follows the swaps that pay it; the last swap of a token takes the rest', () => {
    const { swaps } = tradeOf(
      plan([
        step([leg(MID, 3n)], [leg(BUY, 4n)]),
        step([leg(SELL, 4n)], [leg(MID, 3n)]),
        step([leg(MID, 2n)], [leg(BUY, 4n)]),
        step([leg(SELL, 6n)], [leg(MID, 2n)]),
      ]),
    );
    expect(swaps.map(({ from, amount, takesRest }) => [from, amount, takesRest])).toEqual([
      [SELL, 4n, false],
      [SELL, 6n, false],
      [MID, 3n, false],
      [MID, 2n, true],
    ]);
  });

  test('several amounts of one token -> their sum', () => {
    const { swaps } = tradeOf(plan([step([leg(SELL, 4n), leg(SELL, 6n)], [leg(BUY, 8n)])]));
    expect(swaps).toMatchObject([{ amount: 10n }]);
  });

  test('the native token on a side -> wrapped first or unwrapped last, and wrapping steps are omitted', () => {
    const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
    const sold = poolTradeOf(
      plan(
        [step([leg(native, 10n)], [leg(SELL, 10n)], SELL), step([leg(SELL, 10n)], [leg(BUY, 8n)])],
        native,
      ),
      { ...wrapped, sellNative: true },
    );
    expect(sold).toMatchObject({
      needs: undefined,
      swaps: [
        { from: pad('0x', { size: 20 }), to: SELL, amount: 10n },
        { from: SELL, amount: 10n, takesRest: false },
      ],
    });
    const bought = poolTradeOf(plan([step([leg(SELL, 10n)], [leg(BUY, 8n)])]), {
      ...{ wrappedNative: BUY, nativeToken: undefined, buyNative: true },
    });
    expect(bought).toMatchObject({
      needs: leg(SELL, 10n),
      swaps: [{ to: BUY }, { from: BUY, to: pad('0x', { size: 20 }), takesRest: true }],
    });
  });

  test.each([
    [
      'a step of three tokens',
      [step([leg(SELL, 5n), leg(MID, 5n)], [leg(BUY, 8n)])],
      'a step through "Pools" has more than two tokens',
    ],
    [
      'a pool without an address',
      [step([leg(SELL, 10n)], [leg(BUY, 8n)], `0x${'9'.repeat(64)}`)],
      `the pool "0x${'9'.repeat(64)}" of "Pools" has no address`,
    ],
    [
      'steps in a cycle',
      [step([leg(SELL, 10n)], [leg(MID, 8n)]), step([leg(MID, 8n)], [leg(SELL, 8n)])],
      'its swaps form a cycle',
    ],
  ])('%s -> the reason', (_, steps, reason) => {
    expect(poolTradeOf(plan(steps), wrapped)).toEqual(impossible(reason));
  });
});

const LIQUIDITY = 10n ** 24n;
const ALGEBRA = '@cryptoalgebra/integral-core/artifacts/contracts';

type Artifact = { readonly abi: Abi; readonly bytecode: Hex };

/** Opens a pool at a price of 1, with the same liquidity everywhere near that price. */
async function openAlgebra(
  { rpc, deployer, send }: Awaited<ReturnType<typeof startOddChain>>,
  tokens: readonly [Address, Address],
): Promise<Address> {
  const artifactOf = (name: string): Artifact => require(`${ALGEBRA}/${name}.sol/${name}.json`);
  const creating = (name: string, address: Address) =>
    encodeDeployData({ ...artifactOf(name), args: [address] });
  const calling = (name: string, functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: artifactOf(name).abi, functionName, args });
  const nonce = BigInt(await rpc<Hex>('eth_getTransactionCount', [deployer, 'latest']));
  const [factory, poolDeployer] = [nonce, nonce + 1n].map((each) =>
    getContractAddress({ from: deployer, nonce: each }),
  ) as [Address, Address];
  await send(undefined, creating('AlgebraFactory', poolDeployer));
  await send(undefined, creating('AlgebraPoolDeployer', factory));
  await send(factory, calling('AlgebraFactory', 'createPool', [...tokens, '0x']));
  const data = calling('AlgebraFactory', 'poolByPair', tokens);
  const pool: Address = `0x${(await rpc<Hex>('eth_call', [{ to: factory, data }])).slice(26)}`;
  await send(pool, calling('AlgebraPool', 'initialize', [2n ** 96n]));
  await rpc('anvil_setCode', [TRADER, traderAt(TRADER).overrides[TRADER]?.code]);
  await rpc('anvil_impersonateAccount', [TRADER]);
  const [lower, upper] = [...tokens].sort();
  // The trader pays in one token to a pool that calls back, so liquidity is added separately on
  // each side of the price.
  for (const [bottom, top, token] of [
    [60, 6_000, lower],
    [-6_000, -60, upper],
    [0, 60, lower],
    [-60, 0, upper],
  ] as const) {
    const args = [TRADER, TRADER, bottom, top, LIQUIDITY, pad(token as Hex)];
    const minting = { to: pool, value: 0n, data: calling('AlgebraPool', 'mint', args) };
    expect(await mineAll(rpc, TRADER, [minting], 9_000_000n)).toEqual([]);
  }
  return pool;
}
