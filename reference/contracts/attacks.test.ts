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
import { ownArtifact } from '../../scripts/program/chains/artifacts.ts';
import type { Address } from '../planner/domain/address.ts';
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
import { deploymentOf, GRAPH_ROUTERS } from './settlement.testing.ts';
import { routerAbi } from './test-chain.testing.ts';

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

/** A call back of a pool that asks for 1000 base units. */
const callback = (data: Hex = '0x') =>
  encodeFunctionData({
    abi: routerAbi,
    functionName: 'uniswapV3SwapCallback',
    args: [1000n, -1n, data],
  });

const greedyPool = (
  given: bigint,
  asked: bigint,
  { times = 1n, forged = '0x' as Hex, late = false } = {},
) => deploy('GreedyPool', [other, given, asked, times, forged, late]);

describe.each(GRAPH_ROUTERS)('%s', (name) => {
  let router: ViemAddress;
  let trial: ReturnType<AttackChain['trialOf']>;
  beforeAll(() => {
    router = deploymentOf(chain.market, name).address;
    trial = setting.trialOf(router);
  });

  test('no trade under way -> no one may call back, whatever the data says', async () => {
    for (const data of ['0x', `0x${VICTIM.slice(2).padStart(64, '0')}`] as const) {
      const sent = await chain.send(ATTACKER, router, callback(data));
      expect(nameOf(sent)).toBe('UnexpectedCallback');
    }
    // Address zero is what the slot of the expected caller holds.
    expect(nameOf(await chain.send(zeroAddress, router, callback()))).not.toBe('mined');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('fake pool asks for more than it was offered -> reverts, no one pays', async () => {
    for (const asked of [1001n, 1n << 200n, -5n, 0n]) {
      const swaps = [swap(await greedyPool(0n, asked))];
      expect(await trial.one('sellExactly', 1000n, 0n, [coin, other], swaps)).toBe('PartlyFilled');
    }
    expect(await holdings(ATTACKER)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('fake pool in an exact output asks for more than the limit -> reverts', async () => {
    const swaps = [swap(await greedyPool(0n, 1001n))];
    expect(await trial.one('buyExactly', 1000n, 0n, [coin, other], swaps)).toBe('TooMuchSold');
  });

  test('fake pool forges callback data that names a victim -> only the sender ever pays', async () => {
    const forged =
      `0x${[router, coin, VICTIM].map((a) => a.slice(2).padStart(64, '0')).join('')}${'f'.repeat(64)}` as Hex;
    const pool = await greedyPool(0n, 1000n, { forged });
    const outcomes = await trial.both(1000n, 0n, [coin, other], [swap(pool)]);
    expect(outcomes).toEqual(['mined', 'mined']);
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
    expect((await holdings(ATTACKER)).coin).toBe(WEALTH - 2000n);
  });

  test('fake pool calls back twice -> reverts', async () => {
    const pool = await greedyPool(0n, 1000n, { times: 2n });
    for (const [functionName, share] of [
      ['sellExactly', (1n << 128n) | 1000n],
      ['buyExactly', 0n],
    ] as const) {
      const swaps = [swap(pool, { share })];
      const outcome = await trial.one(functionName, 1_000_000n, 0n, [coin, other], swaps);
      expect(outcome).toBe('UnexpectedCallback');
    }
  });

  test('fake pool never calls back -> reverts, so it cannot strike later', async () => {
    const pool = await greedyPool(0n, 1000n, { late: true });
    const outcomes = await trial.both(1000n, 0n, [coin, other], [swap(pool)]);
    expect(outcomes).toEqual(['NoCallback', 'NoCallback']);
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
    const swaps = [swap(pool, { family: 'constant-product' })];
    const sold = await trial.one('sellExactly', 1000n, 0n, [coin, other], swaps);
    const bought = await trial.one('buyExactly', 1000n, 10n, [coin, other], swaps);
    expect([sold, bought]).not.toContain('mined');
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('tokens, proxies and routers named as pools -> revert, a victim keeps all', async () => {
    const proxy = deploymentOf(chain.market, 'service-router').tokenProxy as ViemAddress;
    for (const target of [coin, proxy, router, chain.market.wrappedNative]) {
      for (const family of ['concentrated', 'constant-product'] as const) {
        const outcomes = await trial.both(1000n, 1n, [coin, other], [swap(target, { family })]);
        expect(outcomes).not.toContain('mined');
      }
    }
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
    expect(await holdings(ATTACKER)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('the proxy named as a token -> reverts', async () => {
    const proxy = deploymentOf(chain.market, 'service-router').tokenProxy as ViemAddress;
    const swaps = [swap(await greedyPool(0n, 1000n))];
    const outcome = await trial.one('sellExactly', 1000n, 0n, [proxy, other], swaps);
    expect(outcome).not.toBe('mined');
  });

  test('a plan that pays a middle token -> the router pays what it holds, never the sender', async () => {
    const [first, second] = [await greedyPool(0n, 1000n), await greedyPool(0n, 777n)];
    const share = (777n << 128n) | 1000n;
    const swaps = [swap(first, { target: ROUTER }), swap(second, { in: 1n, out: 2n, share })];
    const outcome = await trial.one('sellExactly', 1000n, 0n, [coin, other, coin], swaps);
    expect(outcome).not.toBe('mined');
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
    expect(await trial.both(1000n, 0n, tokens, swaps)).toEqual([error, error]);
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
    const outcomes = await trial.both(0n, 0n, [coin, other, other], [swap(other, fields)]);
    expect(outcomes).toEqual(['InvalidHop', 'InvalidHop']);
  });

  test('a token that re-enters the router -> reverts', async () => {
    const token = await deploy('CallingToken');
    const abi = setting.abiOf('CallingToken');
    const pool = await greedyPool(0n, 1000n);
    await chain.call(ATTACKER, token, abi, 'mint', [ATTACKER, 10_000n]);
    const again = order('sellExactly', 0n, 0n, [coin, other], []);
    await chain.call(ATTACKER, token, abi, 'arm', [router, again, false]);
    const terms = [1000n, 0n, [token, other], [swap(pool)]] as const;
    // The router reports the token's revert as the token's.
    expect(await trial.both(...terms)).toEqual(['TransferFailed', 'TransferFailed']);
    await chain.call(ATTACKER, token, abi, 'arm', [router, again, true]);
    expect(await trial.one('sellExactly', ...terms)).toBe('mined');
  });

  test('a token that calls back in place of the pool that is called -> the pool stays unpaid', async () => {
    const token = await deploy('CallingToken');
    const abi = setting.abiOf('CallingToken');
    await chain.call(ATTACKER, token, abi, 'mint', [ATTACKER, 10_000n]);
    await chain.call(ATTACKER, token, abi, 'arm', [router, callback(), false]);
    const pool = await deploy('GreedyPool', [token, 1n, 1000n, 1n, '0x', false]);
    await chain.call(ATTACKER, token, abi, 'mint', [pool, 10_000n]);
    const outcome = await trial.one('sellExactly', 1000n, 0n, [coin, token], [swap(pool)]);
    expect(outcome).not.toBe('mined');
  });

  test('a pool that gives less than it says -> the limit holds on what arrives', async () => {
    const pool = await greedyPool(99n, 1000n);
    await chain.deal(other, pool, WEALTH);
    const ends = [[coin, other], [swap(pool)]] as const;
    for (const outcome of await trial.both(1000n, 100n, ...ends)) {
      expect(['TooLittleBought', 'PartlyFilled']).toContain(outcome);
    }
    expect(await trial.one('sellExactly', 1000n, 99n, ...ends)).toBe('mined');
  });

  test('a plan that leaves part unsold, or sells more -> reverts', async () => {
    const pool = await greedyPool(0n, 500n);
    const tryShare = (sold: bigint, share: bigint) =>
      trial.one('sellExactly', sold, 0n, [coin, other], [swap(pool, { share })]);
    expect(await tryShare(1000n, (1n << 128n) | 2n)).toBe('NotAllSold');
    expect(await tryShare(250n, (2n << 128n) | 1n)).not.toBe('mined');
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
    const tryLimit = (limit: bigint) =>
      trial.one('sellExactly', 1000n, limit, [token, other], [fee]);
    expect(await tryLimit(expected + 1n)).toBe('TooLittleBought');
    expect(await tryLimit(expected)).toBe('mined');
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
    const outcome = await trial.one('buyExactly', 100_000n, 1000n, [other, token], [fee]);
    expect(outcome).toBe('TooLittleBought');
  });

  test('deadline passed, router as recipient, native that is not wrapped native -> each reverts', async () => {
    const pool = await greedyPool(0n, 1000n);
    const one = [swap(pool)];
    const terms = [1000n, 0n, [coin, other], one] as const;
    const { timestamp } = await chain.client.getBlock();
    for (const [time, outcome] of [
      [timestamp + 100n, 'mined'],
      [timestamp + 300n, 'Expired'],
    ] as const) {
      // The call that asks for the reason runs at the time of the block before.
      const deadline = outcome === 'mined' ? time : timestamp;
      await chain.rpc('evm_setNextBlockTimestamp', [Number(time)]);
      expect(await trial.one('sellExactly', ...terms, { deadline })).toBe(outcome);
    }
    const toRouter = { recipient: router };
    expect(await trial.one('sellExactly', ...terms, toRouter)).toBe('InvalidRecipient');
    expect(await trial.one('buyExactly', ...terms, { unwrap: true })).toBe('NotWrappedNative');
    await chain.rpc('anvil_setBalance', [ATTACKER, '0xffffffffff']);
    const rich = setting.trialOf(router, { value: 1000n });
    expect(await rich.one('sellExactly', ...terms)).toBe('NotWrappedNative');
    const wrapped = [999n, 0n, [chain.market.wrappedNative, other], one] as const;
    expect(await rich.one('sellExactly', ...wrapped)).toBe('WrongNativeAmount');
    const sent = await chain.send(ATTACKER, router, '0x', { value: 1000n });
    expect(nameOf(sent)).toBe('UnexpectedCallback');
  });

  test('tokens donated to the router -> the next trade still settles, and the rest is no one else’s', async () => {
    const pool = await greedyPool(5n, 1000n);
    await chain.deal(other, pool, WEALTH);
    for (const token of [coin, other]) await chain.deal(token, router, 12_345n);
    const outcome = await trial.one('sellExactly', 1000n, 5n, [coin, other], [swap(pool)]);
    expect(outcome).toBe('mined');
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
    const swaps = [swap(await greedyPool(0n, 1000n))];
    for (const address of routers) {
      const { one } = setting.trialOf(address);
      expect(await one('sellExactly', 1000n, 0n, [coin, other], swaps)).toBe('mined');
    }
    expect((await holdings(ATTACKER)).coin).toBe(WEALTH - 2000n);
  });
});
