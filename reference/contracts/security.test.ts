import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toHex,
  type Address as ViemAddress,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  compileContracts,
  readSources,
  UNOPTIMIZED,
} from '../../scripts/build/compile-contracts.ts';
import { swapExactOutput } from '../planner/pools/families.ts';
import { MANAGER, openManagerPool } from './manager-pools.testing.ts';
import { addressOf, deploymentOf, GRAPH_ROUTERS } from './settlement.testing.ts';
import { routerAbi, startTestChain, type TestChain } from './test-chain.testing.ts';

/**
 * This account has approved every router and proxy. It sends only the transactions that tests name.
 */
const VICTIM: ViemAddress = '0x00000000000000000000000000000000000771c7';
const ATTACKER: ViemAddress = '0x00000000000000000000000000000000000bad00';
const WEALTH = 1_000_000_000n;
const ROUTER = 0xfen;
const RECEIVER = 0xffn;
/** Value of `callbacks` that makes a `FakePool` start another trade before its callback. */
const REENTERS = 255n;
/** Fee and tick spacing of the manager's pools that trade `token`. */
const MANAGER_POOL = { fee: 3000, tickSpacing: 60 };
const LIQUIDITY = 1_000_000n;
const FILLED = 50_000n;

let chain: TestChain;
let coin: ViemAddress;
let other: ViemAddress;
type Contract = { readonly abi: Abi; readonly bytecode: Hex };
let fakePool: Contract;
let striker: Contract;
/** A `Striker`. The manager has pools that trade this token for the native token and for `coin`. */
let token: ViemAddress;
let snapshot: Hex | undefined;

beforeAll(async () => {
  const compiled = compileContracts(
    readSources(new URL('./attacks/', import.meta.url)),
    UNOPTIMIZED,
  ) as ReadonlyMap<string, unknown>;
  fakePool = compiled.get('FakePool') as Contract;
  striker = compiled.get('Striker') as Contract;
  chain = await startTestChain();
  [coin, other] = [addressOf(chain.market, 'USDC'), addressOf(chain.market, 'DAI')];
  for (const token of [coin, other]) {
    for (const owner of [VICTIM, ATTACKER]) {
      await chain.deal(token, owner, WEALTH);
      for (const name of GRAPH_ROUTERS) {
        const { address, tokenProxy } = deploymentOf(chain.market, name);
        await chain.approve(token, owner, tokenProxy ?? address);
      }
    }
  }
  const { deployer, modifyLiquidity } = MANAGER;
  token = await deployStriker();
  for (const owner of [ATTACKER, deployer]) await callStriker(token, 'mint', [owner, WEALTH]);
  await chain.deal(coin, deployer, WEALTH);
  await chain.approve(coin, deployer, modifyLiquidity);
  for (const currency of [zeroAddress, coin]) {
    await openManagerPool(chain, [currency, token], MANAGER_POOL, LIQUIDITY);
  }
}, 300_000);

beforeEach(async () => {
  if (snapshot !== undefined) await chain.rpc('evm_revert', [snapshot]);
  snapshot = await chain.rpc<Hex>('evm_snapshot');
});

afterAll(() => chain?.node.stop());

const poolThatCharges = (more: bigint, callbacks = 1n, tokens = [other, coin]) =>
  chain.deploy(fakePool.abi, fakePool.bytecode, [...tokens, 0n, 0n, more, callbacks]);

async function deployStriker(): Promise<ViemAddress> {
  const address = await chain.deploy(striker.abi, striker.bytecode);
  await chain.rpc('anvil_setBalance', [address, toHex(10n ** 18n)]);
  return address;
}

const callStriker = (at: ViemAddress, functionName: string, args: readonly unknown[] = []) =>
  chain.call(ATTACKER, at, striker.abi, functionName, args);

const strike = (target: ViemAddress, input: Hex, value = 0n) => ({ target, input, value });

/** Returns one bit for each of a striker's calls: 1 if the call succeeded. */
const landed = (address: ViemAddress) =>
  chain.client.readContract({ address, abi: striker.abi, functionName: 'landed' });

const poolCallback = (data: Hex) =>
  encodeFunctionData({
    abi: routerAbi,
    functionName: 'uniswapV3SwapCallback',
    args: [1000n, -1n, data],
  });

const unlockCallback = (data: Hex) =>
  encodeFunctionData({ abi: routerAbi, functionName: 'unlockCallback', args: [data] });

const saleOfCoin = () =>
  encodeAbiParameters(parseAbiParameters('uint256, address, address, uint256, address'), [
    1n << 188n,
    coin,
    other,
    1000n,
    ATTACKER,
  ]);

const holdings = async (account: ViemAddress) => ({
  coin: await chain.balanceOf(coin, account),
  other: await chain.balanceOf(other, account),
});

type SwapFields = {
  readonly in?: bigint;
  readonly out?: bigint;
  readonly target?: bigint;
  readonly isPair?: boolean;
  readonly isOfVault?: boolean;
  readonly isPaidUpstream?: boolean;
  readonly share?: bigint;
  readonly isOfManager?: boolean;
  readonly isNative?: boolean;
  readonly feePips?: number;
};

const swap = (pool: ViemAddress, fields: SwapFields = {}) => ({
  hop:
    BigInt(pool) |
    ((fields.in ?? 0n) << 160n) |
    ((fields.out ?? 1n) << 168n) |
    ((fields.target ?? RECEIVER) << 176n) |
    (fields.isPair || fields.isOfManager ? 0n : 1n << 184n) |
    (fields.isPaidUpstream ? 1n << 185n : 0n) |
    (1n << 186n) |
    (fields.isOfVault ? 1n << 187n : 0n) |
    (fields.isOfManager ? (1n << 188n) | (BigInt(MANAGER_POOL.tickSpacing) << 216n) : 0n) |
    (fields.isNative ? 1n << 189n : 0n) |
    (BigInt(fields.feePips ?? (fields.isOfManager ? MANAGER_POOL.fee : 0)) << 192n),
  share: fields.share ?? 0n,
});

const managerSwap = (fields: SwapFields = {}) =>
  swap(zeroAddress, { isOfManager: true, ...fields });

function order(
  functionName: 'sellExactly' | 'buyExactly',
  [sellAmount, buyAmount]: readonly [bigint, bigint],
  tokens: readonly ViemAddress[],
  swaps: readonly ReturnType<typeof swap>[],
  fields: { recipient?: ViemAddress; deadline?: bigint; unwrap?: boolean } = {},
): Hex {
  const defaults = { recipient: zeroAddress, deadline: 1n << 40n, unwrap: false };
  const terms = { sellAmount, buyAmount, ...defaults, ...fields };
  return encodeFunctionData({ abi: routerAbi, functionName, args: [terms, tokens, swaps] });
}

/** Returns `mined`, or the name of the error with which the transaction reverts. */
async function outcomeOf(from: ViemAddress, to: ViemAddress, data: Hex, value = 0n) {
  const sent = await chain.send(from, to, data, { value });
  return sent.kind === 'reverted' ? sent.error : 'mined';
}

describe.each(GRAPH_ROUTERS)('%s', (name) => {
  let router: ViemAddress;
  beforeAll(() => {
    router = deploymentOf(chain.market, name).address;
  });

  test('no trade in progress -> nobody can call back, with any data', async () => {
    const { poolManager } = MANAGER;
    for (const caller of [ATTACKER, VICTIM, poolManager]) {
      for (const data of ['0x', `0x${VICTIM.slice(2).padStart(64, '0')}`, saleOfCoin()] as const) {
        expect(await outcomeOf(caller, router, poolCallback(data))).toBe('UnexpectedCallback');
        expect(await outcomeOf(caller, router, unlockCallback(data))).toBe('UnexpectedCallback');
      }
      await chain.rpc('anvil_setBalance', [caller, '0xffffffffffffff']);
      expect(await outcomeOf(caller, router, '0x', 1n)).toBe('UnexpectedCallback');
    }
    // The slot of the expected caller then holds address zero.
    expect(await outcomeOf(zeroAddress, router, poolCallback('0x'))).not.toBe('mined');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('a pool that calls back twice or never, or starts another trade -> reverts', async () => {
    for (const [callbacks, error] of [
      [2n, 'UnexpectedCallback'],
      [0n, 'NoCallback'],
      [REENTERS, 'Reentered'],
    ] as const) {
      const swaps = [swap(await poolThatCharges(1000n, callbacks), { share: (1n << 128n) | 1n })];
      for (const functionName of ['sellExactly', 'buyExactly'] as const) {
        const data = order(functionName, [1000n, 0n], [coin, other], swaps);
        expect(await outcomeOf(ATTACKER, router, data), `${callbacks}`).toBe(error);
      }
    }
  });

  test('a pool that charges a different amount than offered -> a sale reverts; a purchase reverts above its limit', async () => {
    for (const [charge, whenSold, whenBought] of [
      [999n, 'PartlyFilled', 'mined'],
      [1001n, 'PartlyFilled', 'TooMuchSold'],
      [1n << 200n, 'PartlyFilled', 'TooMuchSold'],
    ] as const) {
      const swaps = [swap(await poolThatCharges(charge), { share: (1n << 128n) | 1n })];
      const terms = [[1000n, 0n], [coin, other], swaps] as const;
      expect(await outcomeOf(ATTACKER, router, order('sellExactly', ...terms))).toBe(whenSold);
      expect(await outcomeOf(ATTACKER, router, order('buyExactly', ...terms))).toBe(whenBought);
    }
  });

  test('theft: a swap into the sell token from a pair that pays out nothing -> reverts, and the limit holds', async () => {
    const idle = await poolThatCharges(0n, 0n);
    const back = swap(idle, {
      in: 1n,
      out: 0n,
      isPair: true,
      isPaidUpstream: true,
      target: ROUTER,
      share: (1n << 128n) | 1n,
    });
    const swaps = [back, swap(await poolThatCharges(WEALTH), { out: 2n })];
    const data = order('buyExactly', [1n, 0n], [coin, other, other], swaps);
    expect(await outcomeOf(VICTIM, router, data)).toBe('InvalidHop');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('theft: more than 255 swaps, the last of which sells another token -> reverts, and that token is not pulled', async () => {
    const { wrappedNative } = chain.market;
    const tokens = [coin, wrappedNative];
    const honest = await chain.deploy(fakePool.abi, fakePool.bytecode, [
      ...[...tokens, 100n, 100n, 0n, 1n],
    ]);
    await chain.deal(wrappedNative, honest, 1000n);
    // Every eighth swap calls back, because 256 nested swaps would exhaust the stack.
    const swaps = Array.from({ length: 256 }, (_, index) =>
      swap(honest, { isPair: index % 8 > 0 }),
    );
    swaps.push(swap(honest, { isPair: true, share: BigInt(other) }));
    const data = order('buyExactly', [WEALTH, 1000n], tokens, swaps);
    expect(await outcomeOf(VICTIM, router, data)).toBe('TooManySwaps');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test.each([
    ['into the first token', { in: 1n, out: 0n, target: ROUTER }],
    ['out of the last token', { in: 2n, out: 1n, target: ROUTER }],
    ['of a token for itself', { in: 1n, out: 1n, target: ROUTER }],
    ['into a token outside of the plan', { out: 3n, target: ROUTER }],
    ['that pays an intermediate token to the receiver', { out: 1n, target: RECEIVER }],
    ['that pays the last token to the router', { out: 2n, target: ROUTER }],
    ['that pays itself', { out: 1n, target: 0n }],
    ['that pays a swap outside of the plan', { out: 1n, target: 1n }],
    ['of the sell token, paid upstream', { out: 2n, isPaidUpstream: true }],
    ['through the Vault and a concentrated pool', { in: 1n, out: 2n, isOfVault: true }],
    [
      'through the Vault, paid upstream',
      { in: 1n, out: 2n, isOfVault: true, isPaidUpstream: true, isPair: true },
    ],
  ] as const)('a swap %s -> InvalidHop', async (_, fields) => {
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const data = order(functionName, [0n, 0n], [coin, other, other], [swap(other, fields)]);
      expect(await outcomeOf(ATTACKER, router, data)).toBe('InvalidHop');
    }
  });

  test('invalid counts, recipients and native amounts -> a specific error for each', async () => {
    await chain.rpc('anvil_setBalance', [ATTACKER, '0xffffffffff']);
    const { wrappedNative } = chain.market;
    const many = (count: number) => Array.from({ length: count }, () => coin);
    const one = [swap(other)];
    const path = [coin, other, coin];
    const toRouter = swap(other, { target: ROUTER });
    const halfOfIt = swap(other, { in: 1n, out: 2n, share: (1n << 128n) | 2n });
    const paidDirectly = swap(other, { in: 1n, out: 2n, isPair: true, isPaidUpstream: true });
    for (const [error, data, value] of [
      ['TooManySwaps', order('sellExactly', [0n, 0n], many(2), Array(255).fill(one[0])), 0n],
      ['TokensOutOfRange', order('sellExactly', [0n, 0n], [], one), 0n],
      ['TokensOutOfRange', order('sellExactly', [0n, 0n], many(1), one), 0n],
      ['TokensOutOfRange', order('buyExactly', [0n, 0n], many(257), one), 0n],
      [
        'InvalidRecipient',
        order('sellExactly', [0n, 0n], [coin, other], [], { recipient: router }),
        0n,
      ],
      ['NotWrappedNative', order('buyExactly', [0n, 0n], [coin, other], [], { unwrap: true }), 0n],
      ['NotWrappedNative', order('sellExactly', [1n, 0n], [coin, other], one), 1n],
      ['WrongNativeAmount', order('sellExactly', [2n, 0n], [wrappedNative, other], one), 1n],
      ['NotAllSold', order('sellExactly', [1n, 0n], [coin, other], []), 0n],
      ['LeftInRouter', order('sellExactly', [0n, 0n], path, [toRouter, halfOfIt]), 0n],
      ['LeftInRouter', order('buyExactly', [0n, 0n], path, [toRouter, paidDirectly]), 0n],
    ] as const) {
      expect(await outcomeOf(ATTACKER, router, data, value)).toBe(error);
    }
  });

  test.each([
    ['a token that is sold for another', 'token', 'coin'],
    ['a token that is bought with another', 'coin', 'token'],
    ['a token that is sold for the native token', 'token', 'native'],
    ['a token that is bought with the native token', 'native', 'token'],
    ['a recipient of the native token', 'token', 'recipient'],
  ] as const)(
    '%s strikes during a trade -> the router rejects each strike, and the trade settles',
    async (_, sold, bought) => {
      const recipient = await deployStriker();
      await chain.rpc('anvil_setBalance', [ATTACKER, toHex(10n ** 18n)]);
      const { wrappedNative } = chain.market;
      const addresses = { token, coin, native: wrappedNative, recipient: wrappedNative };
      const isPaid = bought === 'recipient';
      const source = isPaid ? recipient : token;
      const strikes = [
        // These orders trade nothing, so the trade in progress is the only reason to reject them.
        strike(router, order('sellExactly', [0n, 0n], [coin, other], [])),
        strike(router, order('buyExactly', [0n, 0n], [coin, other], [])),
        strike(router, poolCallback('0x')),
        strike(router, unlockCallback(saleOfCoin())),
        strike(router, '0x', 1n),
        // Always succeeds. This shows that the other calls were tried.
        strike(VICTIM, '0x'),
      ];
      await callStriker(source, 'arm', [strikes]);
      await callStriker(source, 'strike');
      expect(await landed(source)).toBe(0b100011n);
      for (const functionName of ['sellExactly', 'buyExactly'] as const) {
        await callStriker(source, 'arm', [strikes]);
        const tokens = [addresses[sold], addresses[bought]];
        const swaps = [managerSwap({ isNative: tokens.includes(wrappedNative) })];
        const fields = isPaid ? { recipient, unwrap: true } : {};
        const data = order(functionName, [FILLED, 1000n], tokens, swaps, fields);
        const value = sold === 'native' ? FILLED : 0n;
        expect(await outcomeOf(ATTACKER, router, data, value)).toBe('mined');
        expect(await landed(source)).toBe(0b100000n);
      }
      expect(await chain.client.getBalance({ address: router })).toBe(0n);
      expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
    },
  );

  test('native tokens that the manager sends after closing its lock, in the same transaction -> rejected', async () => {
    const trader = await deployStriker();
    const abi = parseAbi(['function take(address, address, uint256)', 'function unlock(bytes)']);
    const args = [zeroAddress, router, 1n] as const;
    const take = encodeFunctionData({ abi, functionName: 'take', args });
    const unlock = encodeFunctionData({ abi, functionName: 'unlock', args: [take] });
    await chain.deal(coin, trader, WEALTH);
    await chain.approve(coin, trader, deploymentOf(chain.market, name).tokenProxy ?? router);
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const trade = order(functionName, [FILLED, 1000n], [coin, token], [managerSwap()]);
      const strikes = [strike(router, trade), strike(MANAGER.poolManager, unlock)];
      await callStriker(trader, 'arm', [strikes]);
      await callStriker(trader, 'strike');
      // If the router accepted the native tokens, the manager would revert when its lock closes,
      // since nobody pays for them.
      expect(await landed(trader)).toBe(0b11n);
    }
  });

  test('a pool of the manager that fills only a part -> reverts, and the router retains no intermediate token', async () => {
    const first = await chain.deploy(fakePool.abi, fakePool.bytecode, [
      ...[other, coin, 100n, 100n, 0n, 1n],
    ]);
    await chain.deal(coin, first, WEALTH);
    for (const [amount, outcome] of [
      [FILLED, 'mined'],
      [LIQUIDITY, 'PartlyFilled'],
    ] as const) {
      const swaps = [swap(first, { target: ROUTER }), managerSwap({ in: 1n, out: 2n })];
      const sale = order('sellExactly', [amount, 0n], [other, coin, token], swaps);
      const buy = order('buyExactly', [WEALTH, amount], [coin, token], [managerSwap()]);
      expect(await outcomeOf(ATTACKER, router, sale)).toBe(outcome);
      expect(await outcomeOf(ATTACKER, router, buy)).toBe(outcome);
    }
    expect(await chain.balanceOf(coin, router)).toBe(0n);
  });

  test.each([
    ['returns false', '0x5f5f5260205ff3'],
    ['has no code', '0x'],
  ] as const)('a sold token that %s -> TransferFailed', async (_, code) => {
    const swaps = [swap(await poolThatCharges(1000n), { share: (1n << 128n) | 1n })];
    await chain.rpc('anvil_setCode', [coin, code]);
    const data = order('sellExactly', [1000n, 0n], [coin, other], swaps);
    expect(await outcomeOf(ATTACKER, router, data)).toBe('TransferFailed');
  });

  test('a concentrated pool that fills only a part of an exact output -> PartlyFilled', async () => {
    const pool = chain.market.pools.find(({ family }) => family === 'concentrated');
    if (pool?.family !== 'concentrated') throw new Error('the market has no concentrated pool');
    const { address, token0, token1 } = pool;
    await chain.deal(token0, ATTACKER, 1n << 120n);
    await chain.approve(token0, ATTACKER, deploymentOf(chain.market, name).tokenProxy ?? router);
    const direction = { pool, tokenIn: token0, tokenOut: token1 };
    const { amountOut } = swapExactOutput(direction, 1n << 127n);
    for (const [bought, outcome] of [
      [amountOut, 'mined'],
      [amountOut + 1n, 'PartlyFilled'],
    ] as const) {
      const swaps = [swap(address, { share: (1n << 128n) | 1n })];
      const data = order('buyExactly', [1n << 120n, bought], [token0, token1], swaps);
      expect(await outcomeOf(ATTACKER, router, data)).toBe(outcome);
    }
  });

  test('a manager that lets another account call back -> NoCallback', async () => {
    const { poolManager } = MANAGER;
    const [tokenIn, tokenOut] = [coin, other].sort() as [ViemAddress, ViemAddress];
    const { hop } = managerSwap();
    const types = parseAbiParameters('uint256, address, address, uint256, address');
    const sale = encodeAbiParameters(types, [hop, tokenIn, tokenOut, 0n, ATTACKER]);
    const accomplice = await deployStriker();
    await callStriker(accomplice, 'arm', [[strike(router, unlockCallback(sale))]]);
    const selector = encodeFunctionData({ abi: striker.abi, functionName: 'strike' }).slice(2);
    // Calls `strike` of the accomplice, and returns an empty array of bytes, or 32 as the amount of
    // a swap.
    const code = `63${selector}5f525f5f6004601c5f73${accomplice.slice(2)}5af15060205f525f60205260405ff3`;
    await chain.rpc('anvil_setCode', [poolManager, `0x${code}`]);
    const data = order('sellExactly', [0n, 0n], [tokenIn, tokenOut], [managerSwap()]);
    expect(await outcomeOf(ATTACKER, router, data)).toBe('NoCallback');
  });

  test('a token that burns a tenth of each transfer -> a pair trades the rest, and limits apply to the received amount', async () => {
    await callStriker(token, 'tax', [10n]);
    const tokens = [token, other];
    const pair = await chain.deploy(fakePool.abi, fakePool.bytecode, [
      ...[...tokens, 100n, 100n, 0n, 1n],
    ]);
    // Creates the pair's reserves.
    await callStriker(token, 'mint', [pair, 10n ** 15n]);
    await chain.deal(other, pair, 10n ** 15n);
    const swaps = [swap(pair, { isPair: true, feePips: 3000 })];
    // The pair receives 900 and pays 897. Without the tax, the pair would pay 996.
    for (const [limit, outcome] of [
      [898n, 'TooLittleBought'],
      [897n, 'mined'],
    ] as const) {
      const data = order('sellExactly', [1000n, limit], tokens, swaps);
      expect(await outcomeOf(ATTACKER, router, data)).toBe(outcome);
    }
    const bought = order('buyExactly', [FILLED, 1000n], [coin, token], [managerSwap()]);
    expect(await outcomeOf(ATTACKER, router, bought)).toBe('TooLittleBought');
  });
});

test('token proxy: a caller that is not one of its routers -> reverts, whichever payer is named', async () => {
  const { tokenProxy } = deploymentOf(chain.market, 'service-router');
  const abi = parseAbi(['function pull(address token, address from, address to, uint256 amount)']);
  const args = [coin, VICTIM, ATTACKER, 1n] as const;
  const data = encodeFunctionData({ abi, functionName: 'pull', args });
  for (const caller of [ATTACKER, VICTIM, deploymentOf(chain.market, 'default-router').address]) {
    expect(await outcomeOf(caller, tokenProxy as ViemAddress, data)).not.toBe('mined');
  }
});
