import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Address } from '../model/trade-request.ts';
import { bytecodeOf } from './bytecode.ts';
import { quantity, type Rpc } from './json-rpc.ts';
import { READER } from './state-reader.ts';

const ABI = parseAbi([
  'function balances(address[] tokens, address[] holders) view returns (uint256[])',
]);
const UNREADABLE = (1n << 256n) - 1n;
/** Enough for tokens that use all the gas they get for each balance. */
const READ_GAS = quantity(1_000_000_000);
/** The code that reads balances, at the account that `balancesCall` calls. */
export const BALANCE_READER = { [READER]: { code: bytecodeOf('state-reader') } };

/** Returns a balance in base units; undefined if the token does not report it. */
export type Balances = (token: Address, holder: Address) => bigint | undefined;

/** Reads the balances of accounts in tokens, of which `NATIVE_TOKEN` is native, in one call. */
export async function readBalances(
  rpc: Rpc,
  tokens: readonly Address[],
  holders: readonly Address[],
  block: Hex | 'latest' = 'latest',
): Promise<Balances> {
  const call = balancesCall(tokens, holders);
  const returned = await rpc<Hex>('eth_call', [call, block, BALANCE_READER]);
  return decodeBalances(tokens, holders, returned);
}

/** Returns the call that reads the balances of accounts in tokens. */
export function balancesCall(tokens: readonly Address[], holders: readonly Address[]) {
  return {
    to: READER,
    data: encodeFunctionData({ abi: ABI, args: [tokens, holders] }),
    gas: READ_GAS,
  };
}

/** Decodes the result of `balancesCall`. */
export function decodeBalances(
  tokens: readonly Address[],
  holders: readonly Address[],
  returned: Hex,
): Balances {
  const held = decodeFunctionResult({ abi: ABI, data: returned });
  return (token, holder) => {
    const [row, column] = [indexOf(tokens, token), indexOf(holders, holder)];
    if (row < 0 || column < 0) throw new NotMeasuredError(token, holder);
    const amount = held[row * holders.length + column];
    return amount === UNREADABLE ? undefined : amount;
  };
}

/** Returns how balances changed; undefined for one that cannot be read. */
export function changesBetween(before: Balances, after: Balances): Balances {
  return (token, holder) => {
    const [held, now] = [before(token, holder), after(token, holder)];
    return held === undefined || now === undefined ? undefined : now - held;
  };
}

function indexOf(addresses: readonly Address[], wanted: Address): number {
  const key = wanted.toLowerCase();
  return addresses.findIndex((address) => address.toLowerCase() === key);
}

/** A balance that was not read. */
export class NotMeasuredError extends Error {
  override readonly name = 'NotMeasuredError';

  constructor(token: Address, holder: Address) {
    super(`the balance of ${holder} in ${token} was not measured`);
  }
}
