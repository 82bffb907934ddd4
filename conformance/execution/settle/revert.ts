import { decodeErrorResult, type Hex, parseAbi, toFunctionSelector } from 'viem';
import { formatAbiItem } from 'viem/utils';

/** Errors of Solidity itself, of Permit2, and of widely used routers. */
const KNOWN_ERRORS = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error TransactionDeadlinePassed()',
  'error V2TooLittleReceived()',
  'error V2TooMuchRequested()',
  'error V3TooLittleReceived()',
  'error V3TooMuchRequested()',
  'error V3InvalidSwap()',
  'error InsufficientToken()',
  'error InsufficientETH()',
  'error AllowanceExpired(uint256 deadline)',
  'error InsufficientAllowance(uint256 amount)',
  'error Expired(uint256 deadline)',
  'error TooMuchSold(uint256 needed, uint256 limit)',
  'error TooLittleBought(uint256 bought, uint256 limit)',
  'error TransferFailed(address token)',
  'error PartlyFilled(address pool)',
  'error NotAllSold(uint256 unsold)',
]);
/** The errors by selector, because viem hashes every error that it is given for each revert. */
const ERRORS_BY_SELECTOR = new Map(
  KNOWN_ERRORS.map((error) => [toFunctionSelector(formatAbiItem(error)), [error]]),
);

/** Identifies a failure because gas ran out. */
export const OUT_OF_GAS = 'out-of-gas';
const MAX_QUOTED = 138;
const MAX_DECODED_CHARACTERS = 8_192;

/**
 * Returns the revert data of a call as text, quoting unknown errors.
 *
 * @example describeRevert('0x') // 'reverted without a reason'
 */
export function describeRevert(returned: Hex): string {
  if (returned === '0x') return 'reverted without a reason';
  if (returned.length > MAX_DECODED_CHARACTERS)
    return `reverted with ${returned.length / 2 - 1} bytes`;
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorsFor(returned), data: returned });
    if (errorName === 'Error') return `reverted with '${args[0]}'`;
    if (errorName === 'ExecutionFailed') {
      return `command ${args[0]} of the router ${describeRevert(args[1])}`;
    }
    return `reverted with ${errorName}(${(args ?? []).join(', ')})`;
  } catch {
    // An unknown error.
    const quoted =
      returned.length > MAX_QUOTED ? `${returned.slice(0, MAX_QUOTED - 3)}...` : returned;
    return `reverted with ${quoted}`;
  }
}

/**
 * Returns an identifier of a revert that does not depend on amounts: the error's name or selector,
 * the code of a panic, or the text of `Error` without its numbers.
 *
 * @example identifyRevert('0x') // 'no-reason'
 */
export function identifyRevert(returned: Hex): string {
  if (returned === '0x') return 'no-reason';
  if (returned.length > MAX_DECODED_CHARACTERS) return returned.slice(0, LENGTH_OF_0X_AND_SELECTOR);
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorsFor(returned), data: returned });
    if (errorName === 'Error') return `Error(${withoutNumbers(args[0])})`;
    if (errorName === 'Panic') return `Panic(${args[0]})`;
    return errorName === 'ExecutionFailed' ? identifyRevert(args[1]) : errorName;
  } catch {
    return returned.slice(0, LENGTH_OF_0X_AND_SELECTOR);
  }
}

const LENGTH_OF_0X_AND_SELECTOR = 10;

function errorsFor(returned: Hex): readonly (typeof KNOWN_ERRORS)[number][] {
  return ERRORS_BY_SELECTOR.get(returned.slice(0, LENGTH_OF_0X_AND_SELECTOR) as Hex) ?? [];
}

function withoutNumbers(text: string): string {
  return text.slice(0, 200).replace(/0x[0-9a-f]*|[0-9][0-9.,]*/gi, '#');
}
