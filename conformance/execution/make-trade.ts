import { NATIVE_TOKEN, type UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { type Balances, changesBetween, readBalances } from './balances.ts';
import type { Fork } from './fork.ts';
import { quantity } from './json-rpc.ts';
import { type MinedCall, mineAll, mineCall } from './send.ts';

/** A trade on a fork, and the calls that its maker makes before it. */
export type TradeOnFork = {
  readonly user: Address;
  readonly earlier?: readonly UserCall[] | undefined;
  readonly trade: UserCall;
  /** Gas limit of the transaction; no more than `ampleGas` is given. */
  readonly gas: bigint;
  /** Unix time in seconds of its block: at least a second after the block before. */
  readonly timestamp: number;
  /** Whether to trace it if it succeeds; default true. */
  readonly traces?: boolean | undefined;
  /** The native token as an ERC-20, on chains where it is one. */
  readonly nativeToken?: Address | undefined;
  /** Tokens to measure; `NATIVE_TOKEN` is native. */
  readonly tokens: readonly Address[];
  /** Accounts to measure. */
  readonly holders: readonly Address[];
};

export type Made = MinedCall & {
  /** The earlier calls that failed. If there are any, the trade itself shows nothing. */
  readonly failedEarlier: readonly UserCall[];
  readonly timestamp: number;
  /** Change of each balance, without the user's payment for gas. */
  readonly change: Balances;
};

/**
 * Makes a trade in a separate transaction, in a block like those of the chain: with a base fee, a gas
 * price, a coinbase, and hashes of earlier blocks. The user is an account without code. `isolated`
 * reverts the trade.
 */
export async function makeTrade(
  { rpc, block }: Pick<Fork, 'rpc' | 'block'>,
  trade: TradeOnFork,
): Promise<Made> {
  const { user, earlier = [], tokens, holders } = trade;
  const failedEarlier = earlier.length === 0 ? [] : await mineAll(rpc, user, earlier, OWN_GAS);
  const [latest, before] = await Promise.all([
    rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]),
    readBalances(rpc, tokens, holders),
    rpc('evm_setBlockGasLimit', [quantity(block.gasLimit)]),
  ]);
  const timestamp = Math.max(trade.timestamp, Number(latest.timestamp) + 1);
  const gasLimit = gasOf(trade, block);
  const { baseFeePerGas } = block;
  const options = { gasLimit, timestamp, baseFeePerGas, traces: trade.traces };
  const made = await mineCall(rpc, user, trade.trade, options);
  const after = await readBalances(rpc, tokens, holders);
  const change = withoutGas(changesBetween(before, after), trade, made.gasCost);
  return { ...made, failedEarlier, timestamp, change };
}

/** Returns changes of balances without the user's payment for gas. */
export function withoutGas(
  changes: Balances,
  { user, nativeToken }: TradeOnFork,
  gasCost: bigint,
): Balances {
  return (token, holder) => {
    const amount = changes(token, holder);
    const paidGas = (token === NATIVE_TOKEN || token === nativeToken) && holder === user;
    return amount === undefined || !paidGas ? amount : amount + gasCost;
  };
}

/** Gas of calls that we make ourselves, such as those that move a price: any pool needs less. */
export const OWN_GAS = 1_000_000_000n;
/** Far more gas than a trade needs, and the maximum of a transaction under EIP-7825. */
const MAX_TRADE_GAS = 1n << 24n;

/** Returns the gas limit of a trade's transaction. */
export function gasOf({ gas }: TradeOnFork, block: Fork['block']): bigint {
  return leastOf(gas, ampleGas(block));
}

/** Returns enough gas for any trade that a block of the chain can hold. */
export function ampleGas({ gasLimit }: Fork['block']): bigint {
  return leastOf(gasLimit, MAX_TRADE_GAS);
}

function leastOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
