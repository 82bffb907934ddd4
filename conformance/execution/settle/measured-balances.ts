import {
  decodeFunctionResult,
  encodeFunctionData,
  keccak256,
  parseAbi,
  prepareEncodeFunctionData,
} from 'viem';
import type { BalanceChange, Hex, Payment, Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { bytecodeOf } from '../node/bytecode.ts';
import { quantity, type Rpc } from '../node/json-rpc.ts';
import { NodeLossError } from '../node/node-losses.ts';
import { gasPriceIn } from './gas-price.ts';

const ABI = parseAbi([
  'function balances(address[] tokens, address[] holders) view returns (uint256[])',
]);
/** Its selector is hashed only once, because each settlement needs it. */
const BALANCES = prepareEncodeFunctionData({ abi: ABI });
const UNREADABLE = (1n << 256n) - 1n;
/** Enough gas even if many tokens use up all the gas that each balance read allows. */
const READ_GAS = 1_000_000_000n;
/** Unused address at which a read outside of a trade places the reader's code. */
const READER: Address = '0x00000000000000000000000000000000c0ffee08';

export type Measured = Scenario['measured'];
/**
 * Balances in base units, by token and then by holder. A balance is undefined if the token does not
 * report it.
 */
export type Held = readonly (bigint | undefined)[];

/** Reads balances in one call. */
export async function readHeld(rpc: Rpc, measured: Measured): Promise<Held> {
  const call = balancesCall(READER, measured);
  const returned = await rpc<Hex>('eth_call', [call, 'latest', balanceReaderAt(READER)]);
  return decodeHeld(returned, measured);
}

/** Returns overrides that place the code that reads balances at an account. */
export function balanceReaderAt(account: Address) {
  return { [account]: { code: bytecodeOf('state-reader') } };
}

/**
 * Returns the account of the reader in a scenario. No contract can look for it, because it is
 * derived from the salt.
 */
export function readerIn({ fields }: Scenario): Address {
  return `0x${keccak256(fields.salt).slice(-40)}`;
}

/**
 * Returns the call that reads the balances of accounts in tokens; `NATIVE_TOKEN` represents the
 * native token.
 */
export function balancesCall(reader: Address, { tokens, holders }: Measured, gas = READ_GAS) {
  const data = encodeFunctionData({ ...BALANCES, args: [tokens, holders] });
  return { to: reader, input: data, gas: quantity(gas) };
}

/**
 * Decodes the result of `balancesCall`. No token can affect its form.
 *
 * @throws {NodeLossError} for any other data
 */
export function decodeHeld(returned: Hex, measured: Measured): Held {
  const held = decodedAmounts(returned);
  if (held.length !== placesOf(measured).length) {
    throw new NodeLossError('returned malformed balances');
  }
  return held.map((amount) => (amount === UNREADABLE ? undefined : amount));
}

function decodedAmounts(returned: Hex): readonly bigint[] {
  try {
    return decodeFunctionResult({ abi: ABI, data: returned });
  } catch {
    return [];
  }
}

/**
 * Returns what the sender of a trade paid for gas, in wei. Some chains, such as Arbitrum, charge
 * the base fee without the tip. The sender's native balance and payments show which price was
 * charged.
 */
export function gasCostOf(
  settled: {
    readonly first: Held;
    readonly last: Held;
    readonly gasUsed: bigint;
    readonly payments: readonly Payment[];
  },
  { measured, trade, fields }: Scenario,
): bigint {
  const { first, last, gasUsed, payments } = settled;
  const at = placesOf(measured).findIndex(
    ({ token, holder }) => token === NATIVE_TOKEN && holder === trade.from,
  );
  const [held, now] = [first[at] ?? 0n, last[at] ?? 0n];
  const paid = payments.reduce((sum, { token, from, to, amount }) => {
    if (token !== NATIVE_TOKEN) return sum;
    return sum + (from === trade.from ? amount : 0n) - (to === trade.from ? amount : 0n);
  }, 0n);
  const atBaseFee = gasUsed * fields.baseFee;
  return held - now - paid === atBaseFee ? atBaseFee : gasUsed * gasPriceIn(fields);
}

function placesOf({ tokens, holders }: Measured) {
  return tokens.flatMap((token) => holders.map((holder) => ({ token, holder })));
}

/**
 * Returns the balances that changed or cannot be read. Excludes the payment for gas. If the native
 * token is also an ERC-20, excludes it from both of the sender's balances.
 */
export function changesBetween(
  before: Held,
  after: Held,
  { measured, trade }: Scenario,
  gasCost: bigint,
): readonly BalanceChange[] {
  const places = placesOf(measured);
  const ofSender = (token: Address) =>
    places.findIndex((place) => place.token === token && place.holder === trade.from);
  const native = ofSender(NATIVE_TOKEN);
  const isNative = (at: number) =>
    before[at] === before[native] && after[at] === after[native] && before[at] !== undefined;
  return places.flatMap(({ token, holder }, at): readonly BalanceChange[] => {
    const [held, now] = [before[at], after[at]];
    if (held === undefined || now === undefined) return [{ token, holder, amount: undefined }];
    const paidGas = holder === trade.from && native >= 0 && isNative(at);
    const amount = now - held + (paidGas ? gasCost : 0n);
    return amount === 0n ? [] : [{ token, holder, amount }];
  });
}
