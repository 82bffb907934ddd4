import { describe, expect, test } from 'vitest';
import type { Hex, Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { useEmptyFork } from '../fork/empty-fork.testing.ts';
import { mine } from './mine.testing.ts';
import { EarlierCallError, simulate } from './simulate.ts';

const CONTRACT: Address = `0x${'c'.repeat(40)}`;
const SENDER: Address = `0x${'a'.repeat(40)}`;
const OTHER: Address = `0x${'b'.repeat(40)}`;
const COINBASE: Address = `0x${'d'.repeat(40)}`;
const CHAIN = 31337;

const emptyFork = useEmptyFork(CHAIN);

function calling(code: `0x${string}`, change: Partial<Scenario> = {}): Scenario {
  return {
    chainId: CHAIN,
    block: emptyFork().block.number,
    time: emptyFork().block.timestamp + 15,
    fields: {
      number: emptyFork().block.number + 3,
      baseFee: 7n,
      coinbase: COINBASE,
      prevRandao: `0x${'5a'.repeat(32)}`,
      parentHash: `0x${'a5'.repeat(32)}`,
      salt: `0x${'3c'.repeat(32)}`,
      gasLimit: 30_000_000n,
    },
    overrides: { [SENDER]: { balance: 10n ** 18n }, [CONTRACT]: { code } },
    before: [],
    trade: { from: SENDER, to: CONTRACT, value: 0n, data: '0x' },
    gas: 100_000n,
    measured: { tokens: [NATIVE_TOKEN], holders: [SENDER, CONTRACT] },
    ...change,
  };
}

test.each([
  ['PREVRANDAO', '44', '5a'],
  ['BLOCKHASH of the block before', '6001430340', 'a5'],
])('simulate, %s -> as in the scenario', async (_, instructions, byte) => {
  const code = `0x${instructions}5f5260205ff3` as const;
  const { returned } = await simulate(emptyFork(), calling(code));
  expect(returned).toBe(`0x${byte.repeat(32)}`);
});

const SETTLES = [
  ['simulate', simulate],
  ['mine', mine],
] as const;
const word = (value: bigint | string | number): Hex =>
  `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const codeRevertingUnless = (instruction: string, value: bigint | string | number) =>
  `0x${instruction}7f${word(value).slice(2)}14603057${'5f'.repeat(8)}5ffd`
    .padEnd(2 + 2 * 0x30, '0')
    .concat('5b00') as `0x${string}`;

describe.each(SETTLES)('%s', (_, settle) => {
  test.each([
    ['NUMBER', '43', () => emptyFork().block.number + 3],
    ['TIMESTAMP', '42', () => emptyFork().block.timestamp + 15],
    ['BASEFEE', '48', () => 7],
    ['GASPRICE', '3a', () => 9],
    ['COINBASE', '41', () => COINBASE],
    ['GASLIMIT', '45', () => 30_000_000],
    ['ORIGIN', '32', () => SENDER],
  ])('%s -> as in the scenario', async (_, instruction, value) => {
    const { outcome } = await settle(
      emptyFork(),
      calling(codeRevertingUnless(instruction, value())),
    );
    expect(outcome).toBe('settled');
  });

  test.each([
    ['PREVRANDAO', '44'],
    ['BLOCKHASH of the block before', '6001430340'],
    ['BLOCKHASH of the forked block', '6003430340'],
  ])('%s -> not zero', async (_, instructions) => {
    const end = (instructions.length / 2 + 5).toString(16).padStart(2, '0');
    const code = `0x${instructions}1560${end}57005b5f5ffd` as const;
    // If the value is zero, the code jumps to a revert.
    expect((await settle(emptyFork(), calling(code))).outcome).toBe('settled');
  });

  test('a contract forwards native tokens -> balance changes exclude gas, and payments are in order', async () => {
    // The code sends part of the received native tokens to OTHER.
    const code = `0x5f5f5f5f600573${OTHER.slice(2)}5af1` as const;
    const scenario = calling(code, {
      trade: { from: SENDER, to: CONTRACT, value: 9n, data: '0x' },
      measured: { tokens: [NATIVE_TOKEN], holders: [SENDER, CONTRACT, OTHER] },
    });
    const { changes, payments } = await settle(emptyFork(), scenario);
    expect(changes).toEqual([
      { token: NATIVE_TOKEN, holder: SENDER, amount: -9n },
      { token: NATIVE_TOKEN, holder: CONTRACT, amount: 4n },
      { token: NATIVE_TOKEN, holder: OTHER, amount: 5n },
    ]);
    const native = { token: NATIVE_TOKEN, by: 'native' };
    expect(payments).toEqual([
      { ...native, from: SENDER, to: CONTRACT, amount: 9n },
      { ...native, from: CONTRACT, to: OTHER, amount: 5n },
    ]);
  });

  test('a storage override, and earlier calls that change it -> visible to the trade', async () => {
    // The code pays its caller the number in slot 0, and increments that number.
    const code = '0x5f5f5f5f5f54335af1505f546001015f55' as const;
    const call = { from: OTHER, to: CONTRACT, value: 0n, data: '0x' } as const;
    const scenario = calling(code, {
      overrides: {
        [SENDER]: { balance: 10n ** 18n },
        [CONTRACT]: { code, balance: 100n, storage: { [word(0)]: word(5) } },
      },
      before: [call, call],
    });
    const { changes } = await settle(emptyFork(), scenario);
    expect(changes).toContainEqual({ token: NATIVE_TOKEN, holder: SENDER, amount: 7n });
    expect(await emptyFork().rpc('eth_getStorageAt', [CONTRACT, '0x0', 'latest'])).toBe(word(0));
    expect(await emptyFork().rpc('eth_getCode', [CONTRACT, 'latest'])).toBe('0x');
  });

  test('an earlier call that fails -> the trade cannot be judged', async () => {
    const call = { from: OTHER, to: CONTRACT, value: 0n, data: '0x' } as const;
    const settling = settle(emptyFork(), calling('0x5f5ffd', { before: [call] }));
    await expect(settling).rejects.toThrow(EarlierCallError);
  });

  test.each([
    ['a revert without data', '0x5f5ffd', 'reverted without a reason'],
    ['an endless loop', '0x5b5f56', 'it ran out of gas'],
  ] as const)('%s -> the reason', async (_, code, reason) => {
    const settlement = await settle(emptyFork(), calling(code));
    expect(settlement).toMatchObject({ outcome: 'reverted', reason, payments: [] });
  });

  test('gas below the minimum of any transaction -> rejected', async () => {
    const { outcome, reason } = await settle(emptyFork(), calling('0x', { gas: 20_000n }));
    expect({ outcome, reason }).toEqual({
      outcome: 'rejected',
      reason: expect.stringMatching(/gas/),
    });
  });
});
