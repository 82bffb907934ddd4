import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem';
import type { BalanceChange, Hex, Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { bytecodeOf } from '../node/bytecode.ts';
import { quantity, type Rpc } from '../node/json-rpc.ts';

const ABI = parseAbi([
  'function balances(address[] tokens, address[] holders) view returns (uint256[])',
]);
const UNREADABLE = (1n << 256n) - 1n;
/** Enough gas even if many tokens use up all the gas that each balance read allows. */
const READ_GAS = 1_000_000_000n;
const READER: Address = '0x00000000000000000000000000000000c0ffee08';
/** The code that reads balances, placed at the account that `balancesCall` calls. */
export const BALANCE_READER = { [READER]: { code: bytecodeOf('state-reader') } };

export type Measured = Scenario['measured'];
/**
 * Balances in base units, by token and then by holder. A balance is undefined if the token does not
 * report it.
 */
export type Held = readonly (bigint | undefined)[];

/** Reads balances in one call. */
export async function readHeld(rpc: Rpc, measured: Measured): Promise<Held> {
  const call = balancesCall(measured);
  return decodeHeld(await rpc<Hex>('eth_call', [call, 'latest', BALANCE_READER]));
}

/**
 * Returns the call that reads the balances of accounts in tokens; `NATIVE_TOKEN` represents the
 * native token.
 */
export function balancesCall({ tokens, holders }: Measured, gas = READ_GAS) {
  const data = encodeFunctionData({ abi: ABI, args: [tokens, holders] });
  return { to: READER, data, gas: quantity(gas) };
}

/** Decodes the result of `balancesCall`. */
export function decodeHeld(returned: Hex): Held {
  const held = decodeFunctionResult({ abi: ABI, data: returned });
  return held.map((amount) => (amount === UNREADABLE ? undefined : amount));
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
  const { tokens, holders } = measured;
  const places = tokens.flatMap((token) => holders.map((holder) => ({ token, holder })));
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
