import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  type Address as ViemAddress,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  compileContracts,
  readSources,
  UNOPTIMIZED,
} from '../../scripts/build/compile-contracts.ts';
import { MANAGER } from './manager-pools.testing.ts';
import { addressOf, deploymentOf, GRAPH_ROUTERS } from './settlement.testing.ts';
import { routerAbi, startTestChain, type TestChain } from './test-chain.testing.ts';

/** Has approved every router and proxy, and signs only what a test names. */
const VICTIM: ViemAddress = '0x00000000000000000000000000000000000771c7';
const ATTACKER: ViemAddress = '0x00000000000000000000000000000000000bad00';
/** Balance of either in `coin` and in `other`. */
const WEALTH = 1_000_000_000n;
/** Targets of a swap. */
const ROUTER = 0xfen;
const RECEIVER = 0xffn;
/** In place of a number of callbacks of `FakePool`. */
const REENTERS = 255n;

let chain: TestChain;
let coin: ViemAddress;
let other: ViemAddress;
let fakePool: { readonly abi: Abi; readonly bytecode: Hex };
let snapshot: Hex | undefined;

beforeAll(async () => {
  const compiled = compileContracts(
    readSources(new URL('./attacks/', import.meta.url)),
    UNOPTIMIZED,
  ).get('FakePool');
  fakePool = compiled as unknown as typeof fakePool;
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
}, 300_000);

beforeEach(async () => {
  if (snapshot !== undefined) await chain.rpc('evm_revert', [snapshot]);
  snapshot = await chain.rpc<Hex>('evm_snapshot');
});

afterAll(() => chain?.node.stop());

/** Deploys a pool of two tokens that pays out nothing. */
const poolThatAsks = (more: bigint, callbacks = 1n, tokens = [other, coin]) =>
  chain.deploy(fakePool.abi, fakePool.bytecode, [...tokens, 0n, 0n, more, callbacks]);

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
};

/** Returns a swap as the routers read it. */
const swap = (pool: ViemAddress, fields: SwapFields = {}) => ({
  hop:
    BigInt(pool) |
    ((fields.in ?? 0n) << 160n) |
    ((fields.out ?? 1n) << 168n) |
    ((fields.target ?? RECEIVER) << 176n) |
    (fields.isPair ? 0n : 1n << 184n) |
    (fields.isPaidUpstream ? 1n << 185n : 0n) |
    (1n << 186n) |
    (fields.isOfVault ? 1n << 187n : 0n),
  share: fields.share ?? 0n,
});

/** Returns the calldata of an order. */
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

/** Sends a transaction and returns `mined`, or the name of the error with which it reverts. */
async function outcomeOf(from: ViemAddress, to: ViemAddress, data: Hex, value = 0n) {
  const sent = await chain.send(from, to, data, { value });
  return sent.kind === 'reverted' ? sent.error : 'mined';
}

describe.each(GRAPH_ROUTERS)('%s', (name) => {
  let router: ViemAddress;
  beforeAll(() => {
    router = deploymentOf(chain.market, name).address;
  });

  test('no trade is in progress -> nobody can call back, whatever the data', async () => {
    const { poolManager } = MANAGER;
    const callback = (data: Hex) =>
      encodeFunctionData({
        abi: routerAbi,
        functionName: 'uniswapV3SwapCallback',
        args: [1000n, -1n, data],
      });
    const unlock = (data: Hex) =>
      encodeFunctionData({ abi: routerAbi, functionName: 'unlockCallback', args: [data] });
    const pays = encodeAbiParameters(
      parseAbiParameters('uint256, address, address, uint256, address'),
      [1n << 188n, coin, other, 1000n, ATTACKER],
    );
    for (const caller of [ATTACKER, VICTIM, poolManager]) {
      for (const data of ['0x', `0x${VICTIM.slice(2).padStart(64, '0')}`, pays] as const) {
        expect(await outcomeOf(caller, router, callback(data))).toBe('UnexpectedCallback');
        expect(await outcomeOf(caller, router, unlock(data))).toBe('UnexpectedCallback');
      }
      await chain.rpc('anvil_setBalance', [caller, '0xffffffffffffff']);
      expect(await outcomeOf(caller, router, '0x', 1n)).toBe('UnexpectedCallback');
    }
    // The slot of the expected caller holds address zero.
    expect(await outcomeOf(zeroAddress, router, callback('0x'))).not.toBe('mined');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('a pool calls back twice, never, or starts another trade -> reverts', async () => {
    for (const [callbacks, error] of [
      [2n, 'UnexpectedCallback'],
      [0n, 'NoCallback'],
      [REENTERS, 'Reentered'],
    ] as const) {
      const swaps = [swap(await poolThatAsks(1000n, callbacks), { share: (1n << 128n) | 1n })];
      for (const functionName of ['sellExactly', 'buyExactly'] as const) {
        const data = order(functionName, [1000n, 0n], [coin, other], swaps);
        expect(await outcomeOf(ATTACKER, router, data), `${callbacks}`).toBe(error);
      }
    }
  });

  test('a pool asks for another amount than it was offered -> reverts', async () => {
    for (const [asked, whenSold, whenBought] of [
      [999n, 'PartlyFilled', 'mined'],
      [1001n, 'PartlyFilled', 'TooMuchSold'],
      [1n << 200n, 'PartlyFilled', 'TooMuchSold'],
    ] as const) {
      const swaps = [swap(await poolThatAsks(asked), { share: (1n << 128n) | 1n })];
      const terms = [[1000n, 0n], [coin, other], swaps] as const;
      expect(await outcomeOf(ATTACKER, router, order('sellExactly', ...terms))).toBe(whenSold);
      expect(await outcomeOf(ATTACKER, router, order('buyExactly', ...terms))).toBe(whenBought);
    }
  });

  test('theft: a swap into the sell token from a pair that pays out nothing -> reverts, the limit holds', async () => {
    const idle = await poolThatAsks(0n, 0n);
    const back = swap(idle, {
      in: 1n,
      out: 0n,
      isPair: true,
      isPaidUpstream: true,
      target: ROUTER,
      share: (1n << 128n) | 1n,
    });
    const swaps = [back, swap(await poolThatAsks(WEALTH), { out: 2n })];
    const data = order('buyExactly', [1n, 0n], [coin, other, other], swaps);
    expect(await outcomeOf(VICTIM, router, data)).toBe('InvalidHop');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('theft: more swaps than eight bits count, the last share a token -> reverts, that token is not pulled', async () => {
    const { wrappedNative } = chain.market;
    const tokens = [coin, wrappedNative];
    const honest = await chain.deploy(fakePool.abi, fakePool.bytecode, [
      ...[...tokens, 100n, 100n, 0n, 1n],
    ]);
    await chain.deal(wrappedNative, honest, 1000n);
    // Pairs with a callback now and then: 256 of one kind, nested, exhaust the stack.
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
    ['of a middle token to the receiver', { out: 1n, target: RECEIVER }],
    ['of the last token to the router', { out: 2n, target: ROUTER }],
    ['that pays itself', { out: 1n, target: 0n }],
    ['that pays a swap outside of the plan', { out: 1n, target: 1n }],
    ['paid upstream, of the sell token', { out: 2n, isPaidUpstream: true }],
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

  test('counts, recipients and native amounts that cannot be meant -> each its error', async () => {
    await chain.rpc('anvil_setBalance', [ATTACKER, '0xffffffffff']);
    const { wrappedNative } = chain.market;
    const many = (count: number) => Array.from({ length: count }, () => coin);
    const one = [swap(other)];
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
    ] as const) {
      expect(await outcomeOf(ATTACKER, router, data, value)).toBe(error);
    }
  });
});

test('token proxy: a caller that is not its router -> reverts, whoever is named', async () => {
  const { tokenProxy } = deploymentOf(chain.market, 'service-router');
  const abi = parseAbi(['function pull(address token, address from, address to, uint256 amount)']);
  const args = [coin, VICTIM, ATTACKER, 1n] as const;
  const data = encodeFunctionData({ abi, functionName: 'pull', args });
  for (const caller of [ATTACKER, VICTIM, deploymentOf(chain.market, 'default-router').address]) {
    expect(await outcomeOf(caller, tokenProxy as ViemAddress, data)).not.toBe('mined');
  }
});
