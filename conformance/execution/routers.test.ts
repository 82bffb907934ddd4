import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import type { RouterInfo } from '../contract/resources.ts';
import { NATIVE_TOKEN, type UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import type { AnvilNode } from './anvil.ts';
import { approvalCalls, approvalOf } from './approvals.ts';
import { NotMeasuredError } from './balances.ts';
import { balanceOf, fundToken, setNative, transferCall } from './funding.ts';
import { createRpc, type Rpc } from './json-rpc.ts';
import { ampleGas, makeTrade, type TradeOnFork } from './make-trade.ts';
import { isolated, mineAll, mineCall } from './send.ts';

const require = createRequire(import.meta.url);
const contracts = require('#fixtures/markets/31337.contracts.json') as {
  permit2: Address;
  universalRouter: Address;
  wrappedNative: Address;
};
const market = require('#fixtures/markets/31337.json') as {
  tokens: { symbol: string; address: Address }[];
};
const USER: Address = '0x00000000000000000000000000000000c0ffee01';
const FRIEND: Address = '0x00000000000000000000000000000000c0ffee02';
const USDC = market.tokens.find(({ symbol }) => symbol === 'USDC')?.address as Address;
const WETH = contracts.wrappedNative;
const pay = (amount: bigint) => transferCall(USDC, FRIEND, amount);

let node: AnvilNode;
let rpc: Rpc;

beforeAll(async () => {
  node = await startFixtureChain(31337);
  rpc = createRpc(node.url);
  await rpc('anvil_impersonateAccount', [USER]);
  await setNative(rpc, USER, 10n ** 18n);
  await fundToken(rpc, USDC, USER, 1_000n);
});

afterAll(() => node.stop());

describe('makeTrade', () => {
  const LATER = 2_000_000_000;
  const BOMB: Address = '0x00000000000000000000000000000000000b0b0b';
  const BLOCK = { number: 8, timestamp: 0, hash: '0x00', reportsGasLimit: true } as const;
  const block = { ...BLOCK, baseFeePerGas: 7n, gasLimit: 30_000_000n };
  const make = (trade: UserCall, change: Partial<TradeOnFork> = {}) =>
    isolated(rpc, () =>
      makeTrade(
        { rpc, block },
        {
          ...{ user: USER, trade, gas: ampleGas(block), timestamp: LATER },
          ...{ tokens: [NATIVE_TOKEN, USDC], holders: [USER, FRIEND], ...change },
        },
      ),
    );

  test('a transfer -> both balances, gas not counted, and nothing kept', async () => {
    const { mined, change, gasCost } = await make(pay(7n));
    expect(mined).toMatchObject({ kind: 'mined', success: true });
    expect(gasCost).toBeGreaterThan(100_000n);
    expect([change(USDC, USER), change(USDC, FRIEND)]).toEqual([-7n, 7n]);
    expect(change(NATIVE_TOKEN, USER)).toBe(0n);
    expect(await balanceOf(rpc, USDC, FRIEND)).toBe(0n);
    expect(() => change(WETH, USER)).toThrow(NotMeasuredError);
  });

  test('earlier calls -> felt by the trade, not measured', async () => {
    const earlier = [pay(999n)];
    const { change } = await make(pay(1n), { earlier });
    expect(change(USDC, FRIEND)).toBe(1n);
    expect((await make(pay(2n), { earlier })).mined).toMatchObject({ success: false });
  });

  test('an earlier call that fails -> which', async () => {
    const earlier = [1n, 10n ** 20n].map(pay);
    const trade = { to: FRIEND, value: 1n, data: '0x' as const };
    expect((await make(trade, { earlier })).failedEarlier).toEqual([earlier[1]]);
  });

  test('more native than the user has -> not mined', async () => {
    const trade = { to: FRIEND, value: 10n ** 30n, data: '0x' as const };
    expect((await make(trade)).mined).toMatchObject({ kind: 'refused' });
  });

  test('a trade that reverts with more than there is gas for -> no success', async () => {
    // PUSH4 25 MB PUSH0 REVERT
    await rpc('anvil_setCode', [BOMB, '0x63018000005ffd']);
    const trade = { to: BOMB, value: 0n, data: '0x' } as const;
    expect((await make(trade)).mined).toMatchObject({ success: false });
  });

  test('a token that is no contract -> its balance cannot be read', async () => {
    const trade = { to: FRIEND, value: 1n, data: '0x' as const };
    expect((await make(trade, { tokens: [FRIEND] })).change(FRIEND, USER)).toBeUndefined();
  });

  test('the block of the trade -> as those of a chain', async () => {
    // GASPRICE, BASEFEE, COINBASE, PREVRANDAO, BLOCKHASH(NUMBER - 1), CODESIZE(CALLER), GASLIMIT, each a word
    const words = ['3a', '48', '41', '44', '6001430340', '333b', '45'];
    const store = words.map((word, at) => `${word}60${(32 * at).toString(16).padStart(2, '0')}52`);
    await rpc('anvil_setCode', [BOMB, `0x${store.join('')}60e05ff3`]);
    await rpc('anvil_setCoinbase', [FRIEND]);
    const { calls } = await make({ to: BOMB, value: 0n, data: '0x' });
    const told = (calls?.output?.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
    expect(told[0]).toBeGreaterThan(7n);
    expect([told[1], told[2]]).toEqual([7n, BigInt(FRIEND)]);
    expect([told[3], told[4]]).not.toContain(0n);
    expect([told[5], told[6]]).toEqual([0n, 30_000_000n]);
  });
});

describe('mineCall', () => {
  const call = pay(5n);

  test('enough gas -> mined with its logs; isolated -> undone', async () => {
    const { mined } = await isolated(rpc, async () => {
      const result = await mineCall(rpc, USER, call, { gasLimit: 100_000n });
      expect(await balanceOf(rpc, USDC, FRIEND)).toBe(5n);
      return result;
    });
    expect(mined).toMatchObject({ kind: 'mined', success: true });
    expect(mined.kind === 'mined' && mined.logs.length).toBe(1);
    expect(await balanceOf(rpc, USDC, FRIEND)).toBe(0n);
  });

  test('too little gas -> mined without success', async () => {
    const { mined } = await isolated(rpc, () => mineCall(rpc, USER, call, { gasLimit: 25_000n }));
    expect(mined).toMatchObject({ kind: 'mined', success: false, reason: 'it ran out of gas' });
  });

  test.each([
    ['less than any transaction', 100n],
    ['more than a block', 10n ** 12n],
  ])('%s -> refused, with the reason', async (_, gasLimit) => {
    const { mined } = await isolated(rpc, () => mineCall(rpc, USER, call, { gasLimit }));
    expect(mined).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/gas/) });
  });
});

describe('approvalOf', () => {
  const info = (tokenProxyAddress?: string): RouterInfo => ({
    name: 'universal-router',
    liquiditySources: [],
    deployedAddress: contracts.universalRouter,
    hasEncoder: true,
    ...(tokenProxyAddress === undefined ? {} : { tokenProxyAddress }),
  });

  test('no proxy -> the router', async () => {
    const approval = await approvalOf(rpc, info());
    expect(approval).toMatchObject({ spender: contracts.universalRouter, viaPermit2: false });
    expect(approvalCalls(USDC, approval as NonNullable<typeof approval>)).toHaveLength(1);
  });

  test('a proxy that is any contract -> that', async () => {
    expect(await approvalOf(rpc, info(WETH))).toMatchObject({ spender: WETH, viaPermit2: false });
  });

  test('Permit2 -> that, told of the router', async () => {
    const approval = await approvalOf(rpc, info(contracts.permit2));
    expect(approval).toMatchObject({ spender: contracts.permit2, viaPermit2: true });
    const calls = approvalCalls(USDC, approval as NonNullable<typeof approval>);
    expect(calls.map(({ to }) => to)).toEqual([USDC, contracts.permit2]);
    expect(await isolated(rpc, () => mineAll(rpc, USER, calls))).toEqual([]);
  });

  test('an invalid address -> undefined', async () => {
    expect(await approvalOf(rpc, { ...info(), deployedAddress: 'nowhere' })).toBeUndefined();
  });
});
