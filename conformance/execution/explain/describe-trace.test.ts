import { encodeErrorResult, encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import type { TracedFrame } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { describeFailedTransfer, describeTrace } from './describe-trace.ts';

const [USER, ROUTER, TOKEN, PERMIT2, POOL] = ['1', '2', '3', '4', '5'].map(
  (digit) => `0x${digit.repeat(40)}` as const,
) as [Address, Address, Address, Address, Address];
const NAMES: Readonly<Record<Address, string>> = {
  [USER]: 'the sender',
  [ROUTER]: 'universal-router',
  [TOKEN]: 'USDC',
  [PERMIT2]: 'Permit2',
};
const nameOf = (account: Address) => NAMES[account];
const ABI = parseAbi([
  'function transferFrom(address from, address to, uint256 amount)',
  'function transferFrom(address from, address to, uint160 amount, address token)',
  'error InsufficientAllowance(uint256 amount)',
]);
const transferFrom = (...args: readonly [Address, Address, bigint, Address?]) =>
  encodeFunctionData({ abi: ABI, functionName: 'transferFrom', args: args as never });
const failed = encodeErrorResult({ abi: ABI, errorName: 'InsufficientAllowance', args: [7n] });
const frame = (from: Address, to: Address, more: Partial<TracedFrame> = {}): TracedFrame => ({
  type: 'CALL',
  from,
  to,
  input: '0x',
  ...more,
});
const error = 'execution reverted';

describe('describeTrace', () => {
  test('calls within calls -> in order, with depth, names, functions and reverts', () => {
    const input = transferFrom(USER, POOL, 9n);
    const inner = frame(ROUTER, TOKEN, { input, error, output: failed, gasUsed: '0x10' });
    const root = frame(USER, ROUTER, { input: '0x12345678', value: '0x5', calls: [inner] });
    expect(describeTrace(root, nameOf)).toEqual([
      {
        ...{ depth: 0, type: 'CALL', from: USER, to: ROUTER, name: 'universal-router' },
        ...{ value: '5', gasUsed: '0', input: '0x12345678' },
      },
      {
        ...{ depth: 1, type: 'CALL', from: ROUTER, to: TOKEN, name: 'USDC' },
        call: `transferFrom(the sender, ${POOL}, 9)`,
        ...{ value: '0', gasUsed: '16', input, error },
        revert: 'reverted with InsufficientAllowance(7)',
      },
    ]);
  });

  test('thousands of calls and long inputs -> cut to a readable length', () => {
    const calls = Array.from({ length: 5_000 }, () =>
      frame(ROUTER, POOL, { input: `0x${'ab'.repeat(9_999)}` }),
    );
    const described = describeTrace(frame(USER, ROUTER, { calls }), nameOf);
    expect(described.length).toBeLessThanOrEqual(400);
    expect(JSON.stringify(described).length).toBeLessThan(400 * 800);
  });
});

describe('describeFailedTransfer', () => {
  const allowanceOf = (token: Address, owner: Address, spender: Address) =>
    `${nameOf(owner)} approved ${nameOf(spender)} for none of ${nameOf(token)}`;

  test('a transfer that fails in an inner call -> its parties, the spender and the approval', () => {
    const input = transferFrom(USER, POOL, 9n);
    const calls = [frame(ROUTER, TOKEN, { input, error, output: failed })];
    expect(describeFailedTransfer(frame(USER, ROUTER, { calls, error }), nameOf, allowanceOf)).toBe(
      `the transfer of 9 base units of USDC from the sender to ${POOL} by universal-router ` +
        'reverted with InsufficientAllowance(7); the sender approved universal-router for none of USDC',
    );
  });

  test('a transfer through Permit2 -> names the transferred token', () => {
    const input = transferFrom(USER, POOL, 9n, TOKEN);
    const calls = [frame(ROUTER, PERMIT2, { input, error, output: failed })];
    const root = frame(USER, ROUTER, { calls, error });
    expect(describeFailedTransfer(root, nameOf, allowanceOf)).toMatch(
      /^the transfer of 9 base units of USDC .* by universal-router .* none of USDC$/,
    );
  });

  test('a failure without a transfer -> undefined', () => {
    const root = frame(USER, ROUTER, { error, output: '0x' });
    expect(describeFailedTransfer(root, nameOf, allowanceOf)).toBeUndefined();
  });
});
