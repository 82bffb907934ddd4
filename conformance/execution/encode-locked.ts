import {
  concatHex,
  encodeAbiParameters,
  type Hex,
  keccak256,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import { isHexAddress } from '../checks/hex.ts';
import type { SwapStep, TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';

/** The key of a pool of Uniswap V4 in its manager. */
export type PoolKey = {
  readonly currency0: Address;
  readonly currency1: Address;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
};

/** A step through a pool of Uniswap V4 without hooks, with the manager's currencies; zero is native. */
export type LockedHop = {
  readonly family: 'v4';
  readonly key: PoolKey;
  /** Whether the router accepts a minimum price for each hop, as since version 2.1. */
  readonly isPriced: boolean;
  readonly soldAs: Address;
  readonly boughtAs: Address;
  readonly from: TokenAmount;
  readonly to: TokenAmount;
};

const KEY = parseAbiParameters(
  '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)',
);
const POOLS_SLOT = 6n;

/** Returns the key of a step's pool, or the reason why it cannot be encoded. */
export function readPoolKey({ details, from, to }: SwapStep): PoolKey | string {
  const { currency0, currency1, fee, tickSpacing, hooks } = (details ?? {}) as Partial<
    Record<keyof PoolKey, unknown>
  >;
  const isKey =
    [currency0, currency1, hooks].every((each) => typeof each === 'string' && isHexAddress(each)) &&
    Number.isInteger(fee) &&
    Number.isInteger(tickSpacing);
  if (!isKey) return 'the `details` of a step through Uniswap V4 have no key of its pool';
  const [lower, upper, hook] = [currency0, currency1, hooks].map((each) =>
    String(each).toLowerCase(),
  ) as [Address, Address, Address];
  if (hook !== zeroAddress) return `the hooks ${hook} of a pool of Uniswap V4 are not known here`;
  const tokens = [...from, ...to].map(({ token }) => token);
  const named = [lower, upper].filter((currency) => currency !== zeroAddress);
  if (!named.every((currency) => tokens.includes(currency))) {
    return 'the `details` of a step through Uniswap V4 name other tokens than the step';
  }
  return {
    currency0: lower,
    currency1: upper,
    fee: Number(fee),
    tickSpacing: Number(tickSpacing),
    hooks: hook,
  };
}

/** Returns the manager's id of a pool. */
export function poolIdOf(key: PoolKey): Hex {
  return keccak256(encodeAbiParameters(KEY, [key]));
}

/** Returns the slot of the manager that is zero if the pool does not exist. */
export function stateSlotOf(poolId: Hex): Hex {
  const of = parseAbiParameters('bytes32, uint256');
  return keccak256(encodeAbiParameters(of, [poolId, POOLS_SLOT]));
}

/** Returns the manager's currency of a token of the pool: the one with its address, otherwise native. */
export function currencyOf({ currency0, currency1 }: PoolKey, token: Address): Address {
  return token === currency0 || token === currency1 ? token : zeroAddress;
}

const ACTIONS = concatHex(['0x0b', '0x06', '0x0e', '0x0e']);
/** Constants for the whole credit of the swap, and for its whole debt. */
const OPEN = 0n;

/**
 * Returns the input of `V4_SWAP` that pays for one swap, executes it, and sends its output and any
 * remainder to `receiver`.
 *
 * @see https://github.com/Uniswap/v4-periphery/blob/main/src/libraries/Actions.sol
 */
export function lockedSwap(
  { key, soldAs, boughtAs, isPriced }: LockedHop,
  amount: bigint,
  isPayerUser: boolean,
  receiver: Address,
): Hex {
  const swap = {
    poolKey: key,
    zeroForOne: soldAs === key.currency0,
    amountIn: OPEN,
    amountOutMinimum: 0n,
    hookData: '0x' as const,
  };
  const take = (currency: Address) => encodeAbiParameters(AMOUNT_TO, [currency, receiver, OPEN]);
  const inputs = [
    encodeAbiParameters(PAYMENT, [soldAs, amount, isPayerUser]),
    isPriced
      ? encodeAbiParameters(PRICED_SWAP, [{ ...swap, minHopPriceX36: 0n }])
      : encodeAbiParameters(SWAP, [swap]),
    take(boughtAs),
    take(soldAs),
  ];
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [ACTIONS, inputs]);
}

/** A token, its recipient and the amount. */
export const AMOUNT_TO = parseAbiParameters('address, address, uint256');
const PAYMENT = parseAbiParameters('address, uint256, bool');

const KEY_STRUCT =
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }';
const SWAP = parseAbiParameters([
  '(PoolKey poolKey, bool zeroForOne, uint128 amountIn, uint128 amountOutMinimum, bytes hookData)',
  KEY_STRUCT,
]);
const PRICED_SWAP = parseAbiParameters([
  '(PoolKey poolKey, bool zeroForOne, uint128 amountIn, uint128 amountOutMinimum, uint256 minHopPriceX36, bytes hookData)',
  KEY_STRUCT,
]);
