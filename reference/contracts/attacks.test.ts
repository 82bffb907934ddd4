import { createRequire } from 'node:module';
import {
  encodeFunctionData,
  getContractAddress,
  type Hex,
  maxUint256,
  parseAbi,
  type Address as ViemAddress,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownArtifact } from '../../scripts/fixtures/artifacts.ts';
import type { Address } from '../domain/address.ts';
import {
  ATTACKER,
  type AttackChain,
  nameOf,
  order,
  RECEIVER,
  ROUTER,
  startAttackChain,
  swap,
  VICTIM,
  WEALTH,
} from './attacks.testing.ts';
import { deploymentOf, routerAbi } from './settlement.testing.ts';

const require = createRequire(import.meta.url);

let setting: AttackChain;
let chain: AttackChain['chain'];
/** A token of the victim's, approved to every router and proxy. */
let coin: Address;
let other: Address;
let deploy: AttackChain['deploy'];
let holdings: AttackChain['holdings'];

beforeAll(async () => {
  setting = await startAttackChain();
  ({ chain, coin, other, deploy, holdings } = setting);
}, 300_000);

beforeEach(() => setting.startAnew());

afterAll(() => chain?.node.stop());

const greedyPool = (
  given: bigint,
  asked: bigint,
  { times = 1n, forged = '0x' as Hex, late = false } = {},
) => deploy('GreedyPool', [other, given, asked, times, forged, late]);

describe.each(['default-router', 'service-router'] as const)('%s', (name) => {
  let router: ViemAddress;
  beforeAll(() => {
    router = deploymentOf(chain.market, name).address;
  });

  test('no trade under way -> no one may call back, whatever the data says', async () => {
    const abi = routerAbi;
    for (const data of ['0x', `0x${VICTIM.slice(2).padStart(64, '0')}`] as const) {
      const input = encodeFunctionData({
        abi,
        functionName: 'uniswapV3SwapCallback',
        args: [1000n, -1n, data],
      });
      expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('UnexpectedCallback');
    }
    // Address zero is what the slot of the expected caller holds.
    const input = encodeFunctionData({
      abi,
      functionName: 'uniswapV3SwapCallback',
      args: [1000n, -1n, '0x'],
    });
    expect(nameOf(await chain.send(zeroAddress, router, input))).not.toBe('mined');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('fake pool asks for more than it was offered -> reverts, no one pays', async () => {
    for (const asked of [1001n, 1n << 200n, -5n, 0n]) {
      const pool = await greedyPool(0n, asked);
      const input = order('sellExactly', 1000n, 0n, [coin, other], [swap(pool)]);
      expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('PartlyFilled');
    }
    expect(await holdings(ATTACKER)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('fake pool in an exact output asks for more than the limit -> reverts', async () => {
    const pool = await greedyPool(0n, 1001n);
    const input = order('buyExactly', 1000n, 0n, [coin, other], [swap(pool)]);
    expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('TooMuchSold');
  });

  test('fake pool forges callback data that names a victim -> only the sender ever pays', async () => {
    const forged =
      `0x${[router, coin, VICTIM].map((a) => a.slice(2).padStart(64, '0')).join('')}${'f'.repeat(64)}` as Hex;
    const pool = await greedyPool(0n, 1000n, { forged });
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(functionName, 1000n, 0n, [coin, other], [swap(pool)]);
      expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('mined');
    }
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
    expect((await holdings(ATTACKER)).coin).toBe(WEALTH - 2000n);
  });

  test('fake pool calls back twice -> reverts', async () => {
    const pool = await greedyPool(0n, 1000n, { times: 2n });
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(
        functionName,
        1_000_000n,
        0n,
        [coin, other],
        [swap(pool, { share: functionName === 'sellExactly' ? (1n << 128n) | 1000n : 0n })],
      );
      expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('UnexpectedCallback');
    }
  });

  test('fake pool never calls back -> reverts, so it cannot strike later', async () => {
    const pool = await greedyPool(0n, 1000n, { late: true });
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(functionName, 1000n, 0n, [coin, other], [swap(pool)]);
      expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('NoCallback');
    }
  });

  test('a contract trades with a pool that strikes in the same transaction, after the trade -> reverts', async () => {
    const pool = await greedyPool(0n, 1000n, { late: true });
    const victim = await deploy('LateVictim');
    const spender = deploymentOf(chain.market, name).tokenProxy ?? router;
    await chain.deal(coin, victim, WEALTH);
    const input = encodeFunctionData({
      abi: setting.abiOf('LateVictim'),
      functionName: 'trade',
      args: [coin, router, order('sellExactly', 1000n, 0n, [coin, other], [swap(pool)]), pool],
    });
    await chain.approve(coin, victim, spender);
    expect(nameOf(await chain.send(ATTACKER, victim, input))).not.toBe('mined');
    expect(await chain.balanceOf(coin, victim)).toBe(WEALTH);
  });

  test('a constant product calls back as if it were concentrated -> reverts', async () => {
    const pool = await greedyPool(0n, 1000n);
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(
        functionName,
        1000n,
        functionName === 'sellExactly' ? 0n : 10n,
        [coin, other],
        [swap(pool, { family: 'constant-product' })],
      );
      expect(nameOf(await chain.send(ATTACKER, router, input))).not.toBe('mined');
    }
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('tokens, proxies and routers named as pools -> revert, a victim keeps all', async () => {
    const proxy = deploymentOf(chain.market, 'service-router').tokenProxy as ViemAddress;
    for (const target of [coin, proxy, router, chain.market.wrappedNative]) {
      for (const family of ['concentrated', 'constant-product'] as const) {
        for (const functionName of ['sellExactly', 'buyExactly'] as const) {
          const input = order(functionName, 1000n, 1n, [coin, other], [swap(target, { family })]);
          expect(nameOf(await chain.send(ATTACKER, router, input))).not.toBe('mined');
        }
      }
    }
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
    expect(await holdings(ATTACKER)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('the proxy named as a token -> reverts', async () => {
    const proxy = deploymentOf(chain.market, 'service-router').tokenProxy as ViemAddress;
    const pool = await greedyPool(0n, 1000n);
    const input = order('sellExactly', 1000n, 0n, [proxy, other], [swap(pool)]);
    expect(nameOf(await chain.send(ATTACKER, router, input))).not.toBe('mined');
  });

  test('a plan that pays a middle token -> the router pays what it holds, never the sender', async () => {
    const [first, second] = [await greedyPool(0n, 1000n), await greedyPool(0n, 777n)];
    const share = (777n << 128n) | 1000n;
    const input = order(
      'sellExactly',
      1000n,
      0n,
      [coin, other, coin],
      [swap(first, { target: ROUTER }), swap(second, { in: 1n, out: 2n, share })],
    );
    expect(nameOf(await chain.send(ATTACKER, router, input))).not.toBe('mined');
    expect(await holdings(ATTACKER)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('a swap into the sell token from a pair that gives nothing -> reverts, the limit stands', async () => {
    const greedy = await greedyPool(0n, WEALTH);
    const [token0, token1] = [other, coin];
    const idle = await deploy('FakePool', [token0, token1, 0n, 0n, 0n, 0n]);
    const back = swap(idle, {
      in: 1n,
      out: 0n,
      family: 'constant-product',
      paidUpstream: true,
      target: ROUTER,
    });
    const input = order(
      'buyExactly',
      1n,
      0n,
      [coin, other, other],
      [{ ...back, share: (1n << 128n) | 1n }, swap(greedy, { out: 2n })],
    );
    expect(nameOf(await chain.send(VICTIM, router, input))).toBe('InvalidHop');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('more swaps than are counted, the last share a token -> reverts, that token is not pulled', async () => {
    const coinForWeth = [coin, chain.market.wrappedNative];
    const honest = await deploy('FakePool', [...coinForWeth, 100n, 100n, 0n, 1n]);
    await chain.deal(chain.market.wrappedNative, honest, 1000n);
    // Pairs, with a callback now and then: so many of either, one inside the other, exhaust the stack.
    const swaps = Array.from({ length: 256 }, (_, index) =>
      swap(honest, { family: index % 8 === 0 ? 'concentrated' : 'constant-product' }),
    );
    swaps.push(swap(honest, { family: 'constant-product', share: BigInt(other) }));
    const input = order('buyExactly', WEALTH, 1000n, coinForWeth, swaps);
    expect(nameOf(await chain.send(VICTIM, router, input))).toBe('TooManySwaps');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test.each([
    ['255 swaps', 2, 255, 'TooManySwaps'],
    ['no token', 0, 1, 'TokensOutOfRange'],
    ['one token', 1, 1, 'TokensOutOfRange'],
    ['257 tokens', 257, 1, 'TokensOutOfRange'],
  ])('%s -> reverts', async (_, tokenCount, swapCount, error) => {
    const tokens = Array.from({ length: tokenCount }, () => coin);
    const swaps = Array.from({ length: swapCount }, () => swap(other));
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(functionName, 1000n, 0n, tokens, swaps);
      expect(nameOf(await chain.send(ATTACKER, router, input))).toBe(error);
    }
  });

  test.each([
    ['into the first token', { in: 1n, out: 0n, target: ROUTER }],
    ['out of the last token', { in: 2n, out: 1n, target: ROUTER }],
    ['of a token for itself', { in: 1n, out: 1n, target: ROUTER }],
    ['into a token that is not in the plan', { out: 3n, target: ROUTER }],
    ['a middle token to the receiver', { out: 1n, target: RECEIVER }],
    ['the last token to the router', { out: 2n, target: ROUTER }],
    ['to itself', { out: 1n, target: 0n }],
    ['to a swap that is not in the plan', { out: 1n, target: 1n }],
    ['paid upstream, of the sell token', { out: 2n, paidUpstream: true }],
    ['through the Vault and a concentrated pool', { in: 1n, out: 2n, ofVault: true }],
    [
      'through the Vault, paid upstream',
      { in: 1n, out: 2n, ofVault: true, paidUpstream: true, family: 'constant-product' },
    ],
  ] as const)('a swap %s -> reverts', async (_, fields) => {
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(functionName, 0n, 0n, [coin, other, other], [swap(other, fields)]);
      expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('InvalidHop');
    }
  });

  test('a token that re-enters the router -> reverts', async () => {
    const token = await deploy('CallingToken');
    const abi = setting.abiOf('CallingToken');
    const pool = await greedyPool(0n, 1000n);
    await chain.call(ATTACKER, token, abi, 'mint', [ATTACKER, 10_000n]);
    const again = order('sellExactly', 0n, 0n, [coin, other], []);
    await chain.call(ATTACKER, token, abi, 'arm', [router, again, false]);
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(functionName, 1000n, 0n, [token, other], [swap(pool)]);
      const error = nameOf(await chain.send(ATTACKER, router, input));
      // The router reports the token's revert as the token's.
      expect(error).toBe('TransferFailed');
    }
    const input = order('sellExactly', 1000n, 0n, [token, other], [swap(pool)]);
    await chain.call(ATTACKER, token, abi, 'arm', [router, again, true]);
    expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('mined');
  });

  test('a token that calls back in place of the pool that is called -> the pool stays unpaid', async () => {
    const token = await deploy('CallingToken');
    const abi = setting.abiOf('CallingToken');
    await chain.call(ATTACKER, token, abi, 'mint', [ATTACKER, 10_000n]);
    const strike = encodeFunctionData({
      abi: routerAbi,
      functionName: 'uniswapV3SwapCallback',
      args: [1000n, -1n, '0x'],
    });
    await chain.call(ATTACKER, token, abi, 'arm', [router, strike, false]);
    const pool = await deploy('GreedyPool', [token, 1n, 1000n, 1n, '0x', false]);
    await chain.call(ATTACKER, token, abi, 'mint', [pool, 10_000n]);
    const input = order('sellExactly', 1000n, 0n, [coin, token], [swap(pool)]);
    expect(nameOf(await chain.send(ATTACKER, router, input))).not.toBe('mined');
  });

  test('a pool that gives less than it says -> the limit holds on what arrives', async () => {
    const pool = await greedyPool(99n, 1000n);
    await chain.deal(other, pool, WEALTH);
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const input = order(functionName, 1000n, 100n, [coin, other], [swap(pool)]);
      expect(['TooLittleBought', 'PartlyFilled']).toContain(
        nameOf(await chain.send(ATTACKER, router, input)),
      );
    }
    const fair = order('sellExactly', 1000n, 99n, [coin, other], [swap(pool)]);
    expect(nameOf(await chain.send(ATTACKER, router, fair))).toBe('mined');
  });

  test('a plan that leaves part unsold, or sells more -> reverts', async () => {
    const pool = await greedyPool(0n, 500n);
    const half = (1n << 128n) | 2n;
    const less = order('sellExactly', 1000n, 0n, [coin, other], [swap(pool, { share: half })]);
    expect(nameOf(await chain.send(ATTACKER, router, less))).toBe('NotAllSold');
    const twice = order(
      'sellExactly',
      250n,
      0n,
      [coin, other],
      [swap(pool, { share: (2n << 128n) | 1n })],
    );
    expect(nameOf(await chain.send(ATTACKER, router, twice))).not.toBe('mined');
  });

  test('a taxed token is sold -> the pair sells what reached it; a limit beyond that reverts', async () => {
    const token = await deploy('TaxedToken');
    const abi = setting.abiOf('TaxedToken');
    const spender = deploymentOf(chain.market, name).tokenProxy ?? router;
    const pair = await openPair(token);
    await chain.call(ATTACKER, token, abi, 'mint', [ATTACKER, 10_000n]);
    await chain.call(ATTACKER, token, abi, 'approve', [spender, maxUint256]);
    const isToken0 = BigInt(token) < BigInt(other);
    const hop = swap(pair, { family: 'constant-product', zeroForOne: isToken0 });
    const fee = { ...hop, hop: hop.hop | (3000n << 192n) };
    const expected = (900n * 997n * 1_000_000n) / (900_000n * 1000n + 900n * 997n);
    const greedy = order('sellExactly', 1000n, expected + 1n, [token, other], [fee]);
    expect(nameOf(await chain.send(ATTACKER, router, greedy))).toBe('TooLittleBought');
    const honest = order('sellExactly', 1000n, expected, [token, other], [fee]);
    expect(nameOf(await chain.send(ATTACKER, router, honest))).toBe('mined');
    expect((await holdings(ATTACKER)).other).toBe(WEALTH + expected);
  });

  test('a taxed token is bought -> what arrives must reach the asked amount', async () => {
    const token = await deploy('TaxedToken');
    const pair = await openPair(token);
    const hop = swap(pair, {
      family: 'constant-product',
      zeroForOne: BigInt(other) < BigInt(token),
    });
    const fee = { ...hop, hop: hop.hop | (3000n << 192n) };
    const input = order('buyExactly', 100_000n, 1000n, [other, token], [fee]);
    expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('TooLittleBought');
  });

  test('deadline passed, router as recipient, native that is not wrapped native -> each reverts', async () => {
    const pool = await greedyPool(0n, 1000n);
    const one = [swap(pool)];
    const { timestamp } = await chain.client.getBlock();
    for (const [time, outcome] of [
      [timestamp + 100n, 'mined'],
      [timestamp + 300n, 'Expired'],
    ] as const) {
      // The call that asks for the reason runs at the time of the block before.
      const deadline = outcome === 'mined' ? time : timestamp;
      const dated = order('sellExactly', 1000n, 0n, [coin, other], one, { deadline });
      await chain.rpc('evm_setNextBlockTimestamp', [Number(time)]);
      expect(nameOf(await chain.send(ATTACKER, router, dated))).toBe(outcome);
    }
    const toRouter = order('sellExactly', 1000n, 0n, [coin, other], one, { recipient: router });
    expect(nameOf(await chain.send(ATTACKER, router, toRouter))).toBe('InvalidRecipient');
    const unwraps = order('buyExactly', 1000n, 0n, [coin, other], one, { unwrap: true });
    expect(nameOf(await chain.send(ATTACKER, router, unwraps))).toBe('NotWrappedNative');
    const rich = { value: 1000n };
    await chain.rpc('anvil_setBalance', [ATTACKER, '0xffffffffff']);
    const native = order('sellExactly', 1000n, 0n, [coin, other], one);
    expect(nameOf(await chain.send(ATTACKER, router, native, rich))).toBe('NotWrappedNative');
    const wrapped = order('sellExactly', 999n, 0n, [chain.market.wrappedNative, other], one);
    expect(nameOf(await chain.send(ATTACKER, router, wrapped, rich))).toBe('WrongNativeAmount');
    expect(nameOf(await chain.send(ATTACKER, router, '0x', rich))).toBe('UnexpectedCallback');
  });

  test('tokens donated to the router -> the next trade still settles, and the rest is no one else’s', async () => {
    const pool = await greedyPool(5n, 1000n);
    await chain.deal(other, pool, WEALTH);
    for (const token of [coin, other]) await chain.deal(token, router, 12_345n);
    const input = order('sellExactly', 1000n, 5n, [coin, other], [swap(pool)]);
    expect(nameOf(await chain.send(ATTACKER, router, input))).toBe('mined');
    expect(await holdings(ATTACKER)).toEqual({ coin: WEALTH - 1000n, other: WEALTH + 5n });
  });

  /** A real pair of the token and the other one: 900,000 and 1,000,000. */
  async function openPair(token: ViemAddress): Promise<ViemAddress> {
    const { v2Factories } = require('#fixtures/markets/31337.contracts.json') as {
      v2Factories: { UniswapV2: ViemAddress };
    };
    const factory = v2Factories.UniswapV2;
    const factoryAbi = parseAbi([
      'function createPair(address,address) returns (address)',
      'function getPair(address,address) view returns (address)',
    ]);
    await chain.call(ATTACKER, factory, factoryAbi, 'createPair', [token, other]);
    const pair = await chain.client.readContract({
      address: factory,
      abi: factoryAbi,
      functionName: 'getPair',
      args: [token, other],
    });
    await chain.call(ATTACKER, token, setting.abiOf('TaxedToken'), 'mint', [pair, 900_000n]);
    await chain.deal(other, pair, 1_000_000n);
    await chain.call(ATTACKER, pair, parseAbi(['function mint(address)']), 'mint', [ATTACKER]);
    return pair;
  }
});

describe('token proxy', () => {
  const abi = parseAbi([
    'function pull(address token, address from, address to, uint256 amount)',
    'function serves(address router) view returns (bool)',
  ]);
  const proxyOf = () => deploymentOf(chain.market, 'service-router').tokenProxy as ViemAddress;

  test('anyone but its router calls it -> reverts, whoever is named', async () => {
    for (const caller of [ATTACKER, VICTIM, deploymentOf(chain.market, 'default-router').address]) {
      const data = encodeFunctionData({
        abi,
        functionName: 'pull',
        args: [coin, VICTIM, ATTACKER, 1n],
      });
      expect(nameOf(await chain.send(caller, proxyOf(), data))).not.toBe('mined');
    }
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('a router that is deployed later at a foretold address -> old allowances serve it', async () => {
    const router = ownArtifact('service-router');
    const tokenProxy = ownArtifact('token-proxy');
    const from: ViemAddress = '0x00000000000000000000000000000000000d1ce5';
    const nonce = BigInt(await chain.client.getTransactionCount({ address: from }));
    const foretold = [1n, 2n].map((ahead) => getContractAddress({ from, nonce: nonce + ahead }));
    const proxy = await chain.deploy(tokenProxy.abi, tokenProxy.bytecode, [foretold]);
    const args = [chain.market.wrappedNative, zeroAddress, zeroAddress, proxy];
    const routers = [
      await chain.deploy(router.abi, router.bytecode, args),
      await chain.deploy(router.abi, router.bytecode, args),
    ];
    expect(routers).toEqual(foretold);
    await chain.approve(coin, ATTACKER, proxy);
    const pool = await greedyPool(0n, 1000n);
    for (const address of routers) {
      const input = order('sellExactly', 1000n, 0n, [coin, other], [swap(pool)]);
      expect(nameOf(await chain.send(ATTACKER, address, input))).toBe('mined');
    }
    expect((await holdings(ATTACKER)).coin).toBe(WEALTH - 2000n);
  });
});
