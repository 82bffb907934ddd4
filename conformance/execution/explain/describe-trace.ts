import { decodeFunctionData, erc20Abi, type Hex, maxUint160, maxUint256, parseAbi } from 'viem';
import type { TracedCall } from '../../model/evidence.ts';
import type { TracedFrame } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { actorOf } from '../settle/call-trace.ts';
import { describeRevert } from '../settle/revert.ts';

/** Returns the name of an account, if it has one. */
export type NameOf = (account: Address) => string | undefined;

const KNOWN_FUNCTIONS = [
  ...erc20Abi,
  ...parseAbi([
    'function transferFrom(address from, address to, uint160 amount, address token)',
    'function deposit()',
    'function withdraw(uint256 amount)',
    'function execute(bytes commands, bytes[] inputs, uint256 deadline)',
    'function execute(bytes commands, bytes[] inputs)',
    'function getReserves()',
    'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
    'function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data)',
    'function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes data)',
    'function unlock(bytes data)',
    'function unlockCallback(bytes data)',
  ]),
];
/**
 * Maximum number of described calls, starting with the root. More calls would not help a reader.
 */
const MAX_CALLS = 400;
const MAX_INPUT_LENGTH = 2 + 2 * 132;
const MAX_ARGUMENT_LENGTH = 80;
/** Tokens and Permit2 treat these allowances as unlimited. */
const UNLIMITED: ReadonlySet<string> = new Set([maxUint256, maxUint160].map(String));

/** Returns the calls of a transaction in order, decoded if their functions are known. */
export function describeTrace(root: TracedFrame, nameOf: NameOf): readonly TracedCall[] {
  return withDepth(root, 0)
    .slice(0, MAX_CALLS)
    .map(({ frame, depth }) => {
      const { type, from, to, value = '0x0', gasUsed = '0x0', input, output = '0x', error } = frame;
      const name = to && nameOf(to);
      const call = describeCall(input, nameOf);
      return {
        depth,
        type,
        from,
        ...(to && { to }),
        ...(name !== undefined && { name }),
        ...(call !== undefined && { call }),
        value: String(BigInt(value)),
        gasUsed: String(BigInt(gasUsed)),
        input: input.slice(0, MAX_INPUT_LENGTH),
        ...(error !== undefined && { error, revert: describeRevert(output) }),
      };
    });
}

/** Returns an allowance as text: 'any amount' if it is unlimited. */
export function formatAllowance(allowance: string): string {
  return UNLIMITED.has(allowance) ? 'any amount' : allowance;
}

/**
 * Describes a failed transfer, with its parties and the allowance. Returns undefined if no transfer
 * failed.
 */
export function describeFailedTransfer(
  root: TracedFrame,
  nameOf: NameOf,
  allowanceOf: (token: Address, owner: Address, spender: Address) => string,
): string | undefined {
  const failed = withDepth(root, 0).findLast(
    ({ frame }) => frame.error !== undefined && transferOf(frame) !== undefined,
  )?.frame;
  const transfer = failed && transferOf(failed);
  if (failed === undefined || transfer === undefined) return undefined;
  const { token, from, to, amount } = transfer;
  const spender = actorOf({ ...failed, type: 'CALL', to: failed.from });
  const called = (account: Address) => nameOf(account) ?? account;
  const who = spender === from ? '' : ` by ${called(spender)}`;
  const allowed = spender === from ? '' : `; ${allowanceOf(token, from, spender)}`;
  return (
    `the transfer of ${amount} base units of ${called(token)} from ${called(from)} to ${called(to)}${who} ` +
    `${describeRevert(failed.output ?? '0x')}${allowed}`
  );
}

type RequestedTransfer = {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
};

function transferOf({
  input,
  from: caller,
  to: callee,
}: TracedFrame): RequestedTransfer | undefined {
  const decoded = decode(input);
  if (callee === undefined || decoded === undefined) return undefined;
  const { functionName, args } = decoded;
  const lower = (account: unknown) => String(account).toLowerCase() as Address;
  if (functionName === 'transfer') {
    return { token: callee, from: caller, to: lower(args[0]), amount: args[1] as bigint };
  }
  if (functionName !== 'transferFrom') return undefined;
  const token = args.length === 4 ? lower(args[3]) : callee;
  return { token, from: lower(args[0]), to: lower(args[1]), amount: args[2] as bigint };
}

function withDepth(
  frame: TracedFrame,
  depth: number,
): readonly { readonly frame: TracedFrame; readonly depth: number }[] {
  const inner = (frame.calls ?? []).flatMap((call) => withDepth(call, depth + 1));
  return [{ frame, depth }, ...inner];
}

function describeCall(input: Hex, nameOf: NameOf): string | undefined {
  const decoded = decode(input);
  if (decoded === undefined) return undefined;
  const args = decoded.args.map((value) => {
    const text = String(value);
    if (/^0x[0-9a-fA-F]{40}$/.test(text)) return nameOf(text.toLowerCase() as Address) ?? text;
    return text.length > MAX_ARGUMENT_LENGTH ? `${text.slice(0, MAX_ARGUMENT_LENGTH)}...` : text;
  });
  return `${decoded.functionName}(${args.join(', ')})`;
}

function decode(
  input: Hex,
): { readonly functionName: string; readonly args: readonly unknown[] } | undefined {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: KNOWN_FUNCTIONS, data: input });
    return { functionName, args };
  } catch {
    // The function of the call is unknown or missing.
    return undefined;
  }
}
