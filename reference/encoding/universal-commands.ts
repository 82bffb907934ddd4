import { type Address, parseAddress } from '../domain/address.ts';
import { familyOf, type Pool } from '../pools/families.ts';
import type { PathSettlement } from '../pools/family.ts';
import type { PlanSwap } from '../routing/graph/plan.ts';
import { addressesTail, addressWord, bytesTail, wordOf } from './abi.ts';
import { NotSettledError } from './encoder.ts';

/** One command of the Universal Router: its byte and its ABI-encoded input, as hex without `0x`. */
export type Command = { readonly code: string; readonly input: string };

/** Stands for the transaction's sender where a recipient is asked for. */
export const MSG_SENDER = parseAddress(`0x${'1'.padStart(40, '0')}`);

/** Stands for the router itself where a recipient is asked for. */
export const ROUTER = parseAddress(`0x${'2'.padStart(40, '0')}`);

/** Stands for all that the router holds where an amount is asked for. */
export const CONTRACT_BALANCE = 1n << 255n;

/** How one command swaps; `swaps` are consecutive and of one pool family. */
export type SwapCommand = {
  readonly swaps: readonly PlanSwap[];
  readonly recipient: Address;
  /** What is sold, or for exact output bought; may be {@link CONTRACT_BALANCE} when sold. */
  readonly amount: bigint;
  /** The least to be bought, or for exact output the most to be sold. */
  readonly limit: bigint;
  /** The user pays through Permit2, not the router from what it holds. */
  readonly isPayerUser: boolean;
};

/** Returns `V2_SWAP_EXACT_IN` or `V3_SWAP_EXACT_IN`. */
export function swapExactIn(swap: SwapCommand): Command {
  const { exactIn, pathFee } = settlementOf(swap);
  const path = pathFee ? bytesTail(pathBytes(swap.swaps, pathFee)) : addressesTail(tokensOf(swap));
  return { code: exactIn, input: swapInput(swap, path) };
}

/** Returns `V2_SWAP_EXACT_OUT` or `V3_SWAP_EXACT_OUT`; a V3 path runs from the buy token back. */
export function swapExactOut(swap: SwapCommand): Command {
  const { exactOut, pathFee } = settlementOf(swap);
  const path = pathFee
    ? bytesTail(reversedPathBytes(swap.swaps, pathFee))
    : addressesTail(tokensOf(swap));
  return { code: exactOut, input: swapInput(swap, path) };
}

/** Returns `WRAP_ETH` of so much native that the router holds, by default all. */
export function wrap(recipient: Address, amount = CONTRACT_BALANCE): Command {
  return { code: '0b', input: addressWord(recipient) + wordOf(amount) };
}

/** Returns `PERMIT2_TRANSFER_FROM` of the user's to the router. */
export function takeFromUser(token: Address, amount: bigint): Command {
  return { code: '02', input: addressWord(token) + addressWord(ROUTER) + wordOf(amount) };
}

/** Returns `UNWRAP_WETH` of all the router holds; reverts below `least`. */
export function unwrapAll(recipient: Address, least: bigint): Command {
  return { code: '0c', input: addressWord(recipient) + wordOf(least) };
}

/** Returns `SWEEP` of all the router holds of a token; reverts below `least`. */
export function sweepAll(token: Address, recipient: Address, least: bigint): Command {
  return { code: '04', input: addressWord(token) + addressWord(recipient) + wordOf(least) };
}

function settlementOf({ swaps }: SwapCommand): PathSettlement<Pool> {
  const [first] = swaps;
  const settlement = first && familyOf(first.pool).universalRouter;
  if (settlement?.kind !== 'path')
    throw new NotSettledError(first?.pool.family, 'Universal Router');
  return settlement;
}

/** `(address recipient, uint256 amount, uint256 limit, bytes | address[] path, bool payerIsUser)` */
function swapInput({ recipient, amount, limit, isPayerUser }: SwapCommand, path: string): string {
  return (
    addressWord(recipient) +
    wordOf(amount) +
    wordOf(limit) +
    wordOf(5 * 32) +
    wordOf(isPayerUser ? 1 : 0) +
    path
  );
}

function tokensOf({ swaps }: SwapCommand): Address[] {
  const first = swaps.slice(0, 1).map((swap) => swap.tokenIn);
  return [...first, ...swaps.map((swap) => swap.tokenOut)];
}

type PathFee = (pool: Pool) => number;

function pathBytes(swaps: readonly PlanSwap[], pathFee: PathFee): string {
  const first = swaps[0]?.tokenIn.slice(2) ?? '';
  return first + swaps.map((swap) => feeBytes(swap, pathFee) + swap.tokenOut.slice(2)).join('');
}

function reversedPathBytes(swaps: readonly PlanSwap[], pathFee: PathFee): string {
  const backwards = [...swaps].reverse();
  const first = backwards[0]?.tokenOut.slice(2) ?? '';
  return first + backwards.map((swap) => feeBytes(swap, pathFee) + swap.tokenIn.slice(2)).join('');
}

function feeBytes({ pool }: PlanSwap, pathFee: PathFee): string {
  return pathFee(pool).toString(16).padStart(6, '0');
}
