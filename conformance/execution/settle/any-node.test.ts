import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../client/fake-clock.testing.ts';
import type { Hex, Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { useEmptyFork } from '../fork/empty-fork.testing.ts';
import { openFork } from '../fork/fork.ts';
import { CannotSettleError } from '../fork/source.ts';
import { startAnvil } from '../node/anvil.ts';
import { createRpc } from '../node/json-rpc.ts';
import { openNode } from '../node/node.ts';
import { NodeLossError } from '../node/node-losses.ts';
import { type StrictNodeOptions, startStrictNode } from '../node/strict-node.testing.ts';
import { untilEnd } from '../node/until-end.testing.ts';
import { COINBASE, CONTRACT, callingOn, PREVRANDAO, returning, SENDER } from './calling.testing.ts';
import { mine } from './mine.testing.ts';
import { simulate } from './simulate.ts';
import { simulateWithCalls, traceTrade } from './trace-call.ts';

/*
 * Settlement on a node that accepts only what the execution API specifies. It must be the same as
 * in a transaction that Anvil mines.
 */

const CHAIN = 31337;
const OTHER: Address = `0x${'b'.repeat(40)}`;
const MAX_BLOCK_GAS = 50_000_000n;

const emptyFork = useEmptyFork(CHAIN);

async function strictSource(options?: StrictNodeOptions) {
  const anvil = await untilEnd(startAnvil({ chainId: CHAIN, timestamp: 1_750_000_000 }));
  const node = await untilEnd(startStrictNode(anvil.url, options));
  return { ...node, source: { rpc: createRpc(node.url), maxBlockGas: MAX_BLOCK_GAS } };
}

const calling = (code: Hex, change?: Partial<Scenario>, blocks?: number) =>
  callingOn(emptyFork().block, code, change, blocks);

describe.each([2, 3, 7])('a trade %i blocks after the forked block', (blocks) => {
  test.each([
    ['NUMBER', '43'],
    ['TIMESTAMP', '42'],
    ['BASEFEE', '48'],
    ['COINBASE', '41'],
    ['a payment', '5f5f5f5f6005335af1'],
  ])('%s -> as in a transaction', async (_, instructions) => {
    const { source } = await strictSource();
    const earlier = { from: OTHER, to: CONTRACT, value: 0n, data: '0x' } as const;
    const scenario = calling(returning(instructions), { before: [earlier, earlier] }, blocks);
    const { calls, ...mined } = await mine(emptyFork(), scenario);
    expect(mined.outcome).toBe('settled');
    expect(await simulate(source, scenario)).toEqual(mined);
  });
});

test.each<[string, Hex]>([
  ['a revert with data', '0x63deadbeef5f5260205ffd'],
  ['a revert without data', '0x5f5ffd'],
  ['an endless loop', '0x5b5f56'],
  // The contract calls itself without end, and then reverts.
  ['an inner call that runs out of gas', '0x5f5f5f5f5f305af1505f5ffd'],
])('%s -> the reason as in a transaction', async (_, code) => {
  const { source } = await strictSource();
  const { calls, ...mined } = await mine(emptyFork(), calling(code));
  expect(await simulateWithCalls(source, calling(code))).toMatchObject(mined);
});

test.each([
  ['COINBASE', '41', COINBASE],
  ['PREVRANDAO', '44', PREVRANDAO],
  ['BASEFEE', '48', '0x7'],
  ['NUMBER', '43', '0x3'],
])('%s in a trace -> as in the scenario', async (_, instruction, value) => {
  const { source } = await strictSource();
  const { output = '0x' } = await traceTrade(source, calling(returning(instruction)));
  expect(BigInt(output)).toBe(BigInt(value));
});

test('the reader of balances -> at an address of its salt, without code during the trade', async () => {
  const { source, calls } = await strictSource();
  await simulate(source, calling('0x00'));
  const [{ blockStateCalls }] = (calls.at(-1)?.params ?? []) as unknown as [
    { blockStateCalls: { stateOverrides?: Record<Address, { code?: Hex }> }[] },
  ];
  const [first, , trade, last] = blockStateCalls.map(({ stateOverrides = {} }) => stateOverrides);
  const [reader = ''] = Object.keys(last ?? {});
  expect(trade).toEqual({ [reader]: { code: '0x' } });
  expect(first?.[reader as Address]?.code).toMatch(/^0x60/);
  const { fields, ...scenario } = calling('0x00');
  await simulate(source, { ...scenario, fields: { ...fields, salt: `0x${'4d'.repeat(32)}` } });
  expect(JSON.stringify(calls.at(-1))).not.toContain(reader);
});

test('a chain that charges no tip -> balances exclude what was paid for gas', async () => {
  const { source } = await strictSource({ ignoresTips: true });
  const { changes } = await simulate(source, calling('0x00'));
  expect(changes).toEqual([
    { token: NATIVE_TOKEN, holder: SENDER, amount: -9n },
    { token: NATIVE_TOKEN, holder: CONTRACT, amount: 9n },
  ]);
});

describe('errors', () => {
  const failing = (error: { readonly code?: number; readonly message: string }) =>
    strictSource({ errorOf: (method) => (method === 'eth_simulateV1' ? error : undefined) });

  test.each([
    { code: -32_000, message: 'context deadline exceeded' },
    { code: -32_000, message: 'execution aborted (timeout = 5s)' },
    { code: -38_026, message: 'too many blocks' },
    { code: -38_015, message: 'block gas limit reached: remaining: 1, required: 2' },
    { code: -38_021, message: 'block timestamps must be in order' },
    { code: -32_603, message: 'internal error' },
    { code: -32_601, message: 'the method eth_simulateV1 does not exist' },
    { code: -32_602, message: 'at most 1 call is allowed in a block' },
    { message: 'something unheard of' },
  ])('$message -> a failure of the node, in its words', async (error) => {
    const { source } = await failing(error);
    const settling = simulate(source, calling('0x00'));
    await expect(settling).rejects.toThrow(NodeLossError);
    await expect(settling).rejects.toThrow(error.message);
  });

  test.each([
    { code: -38_010, message: 'err: nonce too low' },
    { code: -38_011, message: 'err: nonce too high' },
    { code: -38_012, message: 'err: max fee per gas less than block base fee' },
    { code: -38_013, message: 'err: intrinsic gas too low: have 20000, want 21000' },
    { code: -38_014, message: 'err: insufficient funds for gas * price + value' },
    { code: -32_603, message: 'insufficient gas for floor data gas cost: 24000 < 25000' },
    { code: -32_000, message: 'intrinsic gas too high -- CallGasCostMoreThanGasLimit' },
  ])('$message -> the trade is rejected, without a retry', async (error) => {
    const { url, calls } = await failing(error);
    const node = openNode(url, { clock: createFakeClock() });
    const source = { rpc: node.rpc, maxBlockGas: MAX_BLOCK_GAS };
    expect(await simulate(source, calling('0x00'))).toMatchObject({
      ...{ outcome: 'rejected', error: 'rejected-by-node' },
      reason: `eth_simulateV1: ${error.message}`,
    });
    expect(calls).toHaveLength(1);
    node.stop();
  });
});

describe('a node with limits', () => {
  const opening = async (options: StrictNodeOptions) => {
    const { url: rpcUrl } = await strictSource(options);
    return untilEnd(
      openFork({ chainId: CHAIN, rpcUrl, settleOn: 'node' }, { clock: createFakeClock() }),
    );
  };

  test('the limits of geth -> settles plans', async () => {
    const chain = await opening({});
    expect(chain.maxBlockGas).toBe(MAX_BLOCK_GAS);
  });

  test.each<[string, StrictNodeOptions, RegExp]>([
    ['30 million gas for a simulation', { gasCap: 30_000_000n }, /only \d+ of 16777216 gas/],
    ['10 million gas for a simulation', { gasCap: 10_000_000n }, /only \d+ of 16777216 gas/],
    ['2 million gas for a simulation', { gasCap: 2_000_000n }, /rejected a valid trade/],
    ['1 million gas for a simulation', { gasCap: 1_000_000n }, /rejected a valid trade/],
    ['one call in a block', { maxCallsPerBlock: 1 }, /at most 1 calls are allowed in a block/],
    ['two blocks in a simulation', { maxBlocks: 2 }, /too many blocks/],
  ])('%s -> reported as unable to settle plans, with the reason', async (_, options, why) => {
    const failed = opening(options);
    await expect(failed).rejects.toThrow(CannotSettleError);
    await expect(failed).rejects.toThrow(why);
    await expect(failed).rejects.toThrow(/; omit --settle-on node$/);
  });

  test('a balance that cannot be read within the gas -> a failure of the node', async () => {
    const { source } = await strictSource();
    const little = { ...source, maxBlockGas: 500_000n };
    // A token that uses all gas leaves too little for the other balances.
    const measured = { tokens: [CONTRACT], holders: [SENDER, OTHER, COINBASE] };
    await expect(simulate(little, calling('0xfe', { measured }))).rejects.toThrow(
      'the node did not read the balances of a trade within 500000 gas',
    );
  });

  test('a trade that fails after calls that use most of the gas -> the trade is not at fault', async () => {
    const { source } = await strictSource();
    const invalid: Address = `0x${'f'.repeat(40)}`;
    const burn = { from: OTHER, to: OTHER, value: 0n, data: '0x' } as const;
    const scenario = calling('0x5f5ffd', { before: [burn, burn], gas: 16_000_000n });
    const overrides = {
      ...scenario.overrides,
      [COINBASE]: { code: `0x5f5f5f5f5f73${invalid.slice(2)}5af100` as Hex },
      [invalid]: { code: '0xfe' as Hex },
    };
    const before = [burn, burn].map((call) => ({ ...call, to: COINBASE }));
    await expect(simulate(source, { ...scenario, overrides, before })).rejects.toThrow(
      /less gas than its limit/,
    );
  });
});
