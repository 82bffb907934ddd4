import {
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
import { ownArtifact } from '../../scripts/program/chains/artifacts.ts';
import type { Address } from '../planner/domain/address.ts';
import {
  ATTACKER,
  type AttackChain,
  nameOf,
  order,
  startAttackChain,
  swap,
  VICTIM,
  WEALTH,
} from './attacks.testing.ts';
import { MANAGER, openManagerPool } from './manager-pools.testing.ts';
import { deploymentOf, GRAPH_ROUTERS } from './settlement.testing.ts';
import { routerAbi } from './test-chain.testing.ts';

/*
 * What can be done while the lock of Uniswap V4's manager is open, or to open it: by strangers, by
 * tokens and recipients that strike when they are reached, and by a manager that lies.
 */

const KIND = { fee: 3000, tickSpacing: 60 };
const LIQUIDITY = 1_000_000_000_000n;
const SOLD = 100_000n;
const managerAbi = parseAbi([
  'function unlock(bytes data)',
  'function sync(address currency)',
  'function settle() payable',
  'function take(address currency, address to, uint256 amount)',
]);

let setting: AttackChain;
let chain: AttackChain['chain'];
let coin: Address;
let holdings: AttackChain['holdings'];
/** Calls the striker whenever it moves, and is traded for native and for `coin` by the manager. */
let token: ViemAddress;
let striker: ViemAddress;

beforeAll(async () => {
  setting = await startAttackChain();
  ({ chain, coin, holdings } = setting);
  const { deployer, modifyLiquidity } = MANAGER;
  [token, striker] = [await setting.deploy('CallingToken'), await setting.deploy('Striker')];
  for (const owner of [ATTACKER, deployer]) {
    await chain.call(ATTACKER, token, setting.abiOf('CallingToken'), 'mint', [owner, LIQUIDITY]);
  }
  for (const account of [ATTACKER, VICTIM, deployer, striker, MANAGER.poolManager]) {
    const balance = await chain.client.getBalance({ address: account });
    await chain.rpc('anvil_setBalance', [account, toHex(balance + 10n ** 20n)]);
  }
  await chain.deal(coin, deployer, LIQUIDITY);
  await chain.approve(coin, deployer, modifyLiquidity);
  for (const currency of [zeroAddress, coin]) {
    await openManagerPool(chain, [currency, token], KIND, LIQUIDITY / 4n);
  }
  const arm = [striker, encodeFunctionData({ abi: strikerAbi(), functionName: 'strike' }), true];
  await chain.call(ATTACKER, token, setting.abiOf('CallingToken'), 'arm', arm);
}, 300_000);

beforeEach(() => setting.startAnew());

afterAll(() => chain?.node.stop());

const strikerAbi = () => setting.abiOf('Striker');

type Strike = { readonly target: ViemAddress; readonly value: bigint; readonly input: Hex };

const strikeAt = (target: ViemAddress, input: Hex = '0x', value = 0n): Strike => ({
  target,
  value,
  input,
});

const managerCall = (
  functionName: 'unlock' | 'sync' | 'settle' | 'take',
  args: readonly unknown[] = [],
  value = 0n,
) =>
  strikeAt(
    MANAGER.poolManager,
    encodeFunctionData({ abi: managerAbi, functionName, args } as never),
    value,
  );

const arm = (strikes: readonly Strike[], at = striker) =>
  chain.call(ATTACKER, at, strikerAbi(), 'arm', [strikes]);

const read = (functionName: 'landed' | 'rounds', address = striker) =>
  chain.client.readContract({ address, abi: strikerAbi(), functionName }) as Promise<bigint>;

const unlockCallback = (data: Hex) =>
  encodeFunctionData({ abi: routerAbi, functionName: 'unlockCallback', args: [data] });

/** What the router hands to the manager to sell to anyone, and to buy. */
const handed = (tokenIn: ViemAddress, tokenOut: ViemAddress, to: ViemAddress): readonly Hex[] => [
  encodeAbiParameters(parseAbiParameters('uint256, address, address, uint256, address'), [
    swap(zeroAddress, { ofManager: KIND }).hop,
    tokenIn,
    tokenOut,
    SOLD,
    to,
  ]),
  encodeAbiParameters(parseAbiParameters('uint256, uint256, address'), [0n, SOLD, to]),
];

describe.each(GRAPH_ROUTERS)('%s', (name) => {
  let router: ViemAddress;
  let wrapped: ViemAddress;
  let trial: ReturnType<AttackChain['trialOf']>;
  beforeAll(() => {
    router = deploymentOf(chain.market, name).address;
    trial = setting.trialOf(router);
    wrapped = chain.market.wrappedNative;
  });

  /** Whatever must not go through, whenever it is tried while the router trades. */
  const strikes = (): readonly Strike[] => [
    // They sell nothing, so that nothing else refuses them.
    strikeAt(router, order('sellExactly', 0n, 0n, [coin, token], [])),
    strikeAt(router, order('buyExactly', 0n, 0n, [coin, token], [])),
    ...handed(token, coin, ATTACKER).map((data) => strikeAt(router, unlockCallback(data))),
    strikeAt(
      router,
      encodeFunctionData({
        abi: routerAbi,
        functionName: 'uniswapV3SwapCallback',
        args: [SOLD, -1n, '0x'],
      }),
    ),
    strikeAt(router, '0x', 1n),
  ];

  const sale = (isNative = false) => swap(zeroAddress, { ofManager: { ...KIND, isNative } });

  const approveToken = (of: ViemAddress) =>
    chain.approve(coin, of, deploymentOf(chain.market, name).tokenProxy ?? router);

  test('no lock was asked for -> no one opens a trade, not the manager itself', async () => {
    const data = ['0x', ...handed(coin, token, ATTACKER)] as const;
    for (const caller of [ATTACKER, VICTIM, zeroAddress, MANAGER.poolManager]) {
      for (const each of data) {
        const sent = await chain.send(caller, router, unlockCallback(each));
        expect(nameOf(sent)).toBe('UnexpectedCallback');
      }
    }
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('native from strangers, or from the manager outside of a lock -> refused', async () => {
    for (const caller of [ATTACKER, VICTIM, MANAGER.poolManager]) {
      const sent = await chain.send(caller, router, '0x', { value: 1n });
      expect(nameOf(sent)).toBe('UnexpectedCallback');
    }
  });

  test('native that is forced on the router -> stays there, the next trade settles', async () => {
    await chain.rpc('anvil_setBalance', [router, '0x2710']);
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const before = await chain.client.getBalance({ address: ATTACKER });
      const { one } = setting.trialOf(router, { value: SOLD });
      expect(await one(functionName, SOLD, 10n, [wrapped, token], [sale(true)])).toBe('mined');
      const paid = before - (await chain.client.getBalance({ address: ATTACKER }));
      expect(paid).toBeLessThanOrEqual(SOLD);
      expect(paid).toBeGreaterThan(0n);
      expect(await chain.client.getBalance({ address: router })).toBe(10_000n);
    }
  });

  describe.each([
    ['sold', false],
    ['bought', false],
    ['sold', true],
    ['bought', true],
  ] as const)('a token that strikes is %s in the lock, for native: %s', (side, isNative) => {
    const terms = () => {
      const others = isNative ? wrapped : coin;
      const tokens = side === 'sold' ? [token, others] : [others, token];
      return [SOLD, 10n, tokens, [sale(isNative)]] as const;
    };
    const value = isNative && side === 'bought' ? SOLD : 0n;
    const trade = () => setting.trialOf(router, { value });

    test.each(['sellExactly', 'buyExactly'] as const)(
      '%s, back into the router -> each is refused, and the trade settles',
      async (functionName) => {
        await arm([...strikes(), managerCall('unlock', ['0x'])]);
        expect(await trade().one(functionName, ...terms())).toBe('mined');
        expect(await read('rounds')).toBeGreaterThan(0n);
        expect(await read('landed')).toBe(0n);
        expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
        expect(await chain.balanceOf(coin, router)).toBe(0n);
        expect(await chain.client.getBalance({ address: router })).toBe(0n);
      },
    );

    test('what it owes to the manager itself -> no one else pays, all reverts', async () => {
      await arm([managerCall('take', [coin, ATTACKER, 1000n])]);
      expect(await trade().both(...terms())).not.toContain('mined');
      expect(await holdings(ATTACKER)).toEqual({ coin: WEALTH, other: WEALTH });
    });
  });

  test('a token has the manager count another one while it is paid -> all reverts', async () => {
    await arm([managerCall('sync', [setting.other])]);
    expect(await trial.both(SOLD, 10n, [token, coin], [sale()])).not.toContain('mined');
    expect(await read('rounds')).toBe(0n);
  });

  test('a recipient that strikes when it is paid native -> each is refused, it is paid', async () => {
    await arm(strikes());
    const before = await chain.client.getBalance({ address: striker });
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const paid = { recipient: striker, unwrap: true };
      const terms = [SOLD, 10n, [token, wrapped], [sale(true)], paid] as const;
      expect(await trial.one(functionName, ...terms)).toBe('mined');
      expect(await read('rounds')).toBeGreaterThan(0n);
      expect(await read('landed')).toBe(0n);
    }
    expect(await chain.client.getBalance({ address: striker })).toBeGreaterThan(before);
  });

  test('a trade inside another’s lock -> none through the manager, nor native from it', async () => {
    const pair = await setting.deploy('GreedyPool', [setting.other, 0n, SOLD, 1n, '0x', false]);
    await chain.deal(coin, striker, WEALTH);
    await approveToken(striker);
    await arm([
      strikeAt(router, order('sellExactly', SOLD, 0n, [coin, token], [sale()])),
      strikeAt(router, order('buyExactly', SOLD, 10n, [coin, token], [sale()])),
      managerCall('take', [zeroAddress, router, 1n]),
      // What needs no lock of the manager's is a trade like any other.
      strikeAt(router, order('sellExactly', SOLD, 0n, [coin, setting.other], [swap(pair)])),
    ]);
    await chain.call(ATTACKER, striker, strikerAbi(), 'lock', [MANAGER.poolManager]);
    expect(await read('landed')).toBe(0b1000n);
    expect(await chain.balanceOf(coin, striker)).toBe(WEALTH - SOLD);
    expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
  });

  test('a lock is over -> the router takes no native of the manager in the same transaction', async () => {
    const second = await setting.deploy('Striker');
    await chain.deal(coin, striker, WEALTH);
    await approveToken(striker);
    for (const functionName of ['sellExactly', 'buyExactly'] as const) {
      const lock = encodeFunctionData({
        abi: strikerAbi(),
        functionName: 'lock',
        args: [MANAGER.poolManager],
      });
      const trade = order(functionName, SOLD, 10n, [coin, token], [sale()]);
      await arm([strikeAt(router, trade), strikeAt(second, lock)]);
      await arm([managerCall('take', [zeroAddress, router, 1n])], second);
      await chain.call(ATTACKER, striker, strikerAbi(), 'strike');
      expect([await read('landed'), await read('rounds', second)]).toEqual([0b11n, 1n]);
      expect(await read('landed', second)).toBe(0n);
    }
  });

  test('calldata that names another manager -> it is never called, the true one trades', async () => {
    const disarm = [zeroAddress, '0x', true];
    await chain.call(ATTACKER, token, setting.abiOf('CallingToken'), 'arm', disarm);
    const swaps = [swap(striker, { ofManager: KIND })];
    expect(await trial.one('sellExactly', SOLD, 10n, [coin, token], swaps)).toBe('mined');
    expect(await read('rounds')).toBe(0n);
  });
});

/** In the order of `HostileManager.Habit`. */
const HABITS = [
  ['honest', 'mined'],
  ['does not call back', 'NoCallback'],
  ['calls back twice', 'UnexpectedCallback'],
  ['calls back with data of its own', 'UnexpectedCallback'],
  ['has another call back', 'UnexpectedCallback'],
] as const;

describe('a router whose manager lies', () => {
  test.each(HABITS.map(([title, outcome], habit) => ({ title, outcome, habit })))(
    '$title -> $outcome, and only the sender pays',
    async ({ habit, outcome }) => {
      const [forged] = handed(coin, setting.other, VICTIM);
      const manager = await setting.deploy('HostileManager', [habit, forged]);
      const { abi, bytecode } = ownArtifact('default-router');
      const args = [chain.market.wrappedNative, zeroAddress, manager];
      const router = await chain.deploy(abi, bytecode, args);
      await chain.deal(setting.other, manager, WEALTH);
      for (const owner of [ATTACKER, VICTIM]) await chain.approve(coin, owner, router);
      const one = [swap(zeroAddress, { ofManager: KIND })];
      for (const functionName of ['sellExactly', 'buyExactly'] as const) {
        const before = await holdings(ATTACKER);
        const terms = [SOLD, SOLD, [coin, setting.other], one] as const;
        expect(await setting.trialOf(router).one(functionName, ...terms)).toBe(outcome);
        const paid = before.coin - (await holdings(ATTACKER)).coin;
        expect(paid).toBe(outcome === 'mined' ? SOLD : 0n);
      }
      expect(await holdings(VICTIM)).toEqual({ coin: WEALTH, other: WEALTH });
    },
  );
});
