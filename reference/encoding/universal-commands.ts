import { concatHex, toHex } from 'viem';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import type { PlanSwap } from '../planner/graph/plan.ts';
import { familyOf, type Pool } from '../planner/pools/families.ts';
import { NotSettledError } from './encoder.ts';
import { COMMANDS, type Command, commandOf } from './router-abi.ts';

/** Alias of the transaction's sender, as a recipient. */
export const MSG_SENDER = parseAddress(`0x${'1'.padStart(40, '0')}`);

/** Alias of the router, as a recipient. */
export const ROUTER = parseAddress(`0x${'2'.padStart(40, '0')}`);

/** Alias of the router's whole balance, as an amount. */
export const CONTRACT_BALANCE = 1n << 255n;

/** Terms of one swap command. `swaps` are consecutive and belong to one pool family. */
export type SwapCommand = {
  readonly swaps: readonly PlanSwap[];
  readonly recipient: Address;
  /** Exact amount sold or bought. A sold amount may be {@link CONTRACT_BALANCE}. */
  readonly amount: bigint;
  /** Minimum output, or maximum input for exact output. */
  readonly limit: bigint;
  /** True if the user pays through Permit2; false if the router pays from its balance. */
  readonly isPayerUser: boolean;
};

/**
 * Returns the command for a path of one family. With exact output, a V3 path starts at the buy
 * token.
 */
export function swapAlong(
  swapKind: 'exact-input' | 'exact-output',
  { swaps, recipient, amount, limit, isPayerUser }: SwapCommand,
): Command {
  const [first] = swaps;
  const settlement = first && familyOf(first.pool).universalRouter;
  if (settlement?.kind !== 'path')
    throw new NotSettledError(first?.pool.family, 'Universal Router');
  const isInput = swapKind === 'exact-input';
  const code = isInput ? settlement.exactIn : settlement.exactOut;
  const terms = [recipient, amount, limit] as const;
  const { pathFee } = settlement;
  if (pathFee === undefined) {
    const tokens = swaps.slice(0, 1).map(({ tokenIn }) => tokenIn);
    const path = [...tokens, ...swaps.map(({ tokenOut }) => tokenOut)];
    return commandOf({ ...COMMANDS.V2_SWAP_EXACT_IN, code }, [...terms, path, isPayerUser]);
  }
  const path = pathBytes(swaps, pathFee);
  const bytes = concatHex(isInput ? path : path.reverse());
  return commandOf({ ...COMMANDS.V3_SWAP_EXACT_IN, code }, [...terms, bytes, isPayerUser]);
}

/** A path alternates between tokens and fees. */
function pathBytes(swaps: readonly PlanSwap[], pathFee: (pool: Pool) => number) {
  return swaps.flatMap(({ pool, tokenIn, tokenOut }, index) => [
    ...(index === 0 ? [tokenIn] : []),
    toHex(pathFee(pool), { size: 3 }),
    tokenOut,
  ]);
}

/** Returns a command that unwraps the router's whole balance, and reverts below the minimum. */
export function unwrapAll(recipient: Address, minimum: bigint): Command {
  return commandOf(COMMANDS.UNWRAP_WETH, [recipient, minimum]);
}

/**
 * Returns a command that pays out the router's balance of a token, and reverts below the minimum.
 */
export function sweepAll(token: Address, recipient: Address, minimum: bigint): Command {
  return commandOf(COMMANDS.SWEEP, [token, recipient, minimum]);
}

/** Returns a command that wraps an amount of the router's native tokens, by default all of them. */
export function wrap(recipient: Address, amount = CONTRACT_BALANCE): Command {
  return commandOf(COMMANDS.WRAP_ETH, [recipient, amount]);
}
