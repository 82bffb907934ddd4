import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters, zeroAddress } from 'viem';
import { isHexAddress } from '../../conformance/checks/hex.ts';
import type { SwapStep } from '../../conformance/model/settlement.ts';
import type { Address } from '../../conformance/model/trade-request.ts';

/** Key of a Uniswap V4 pool in its manager. */
export type PoolKey = {
  readonly currency0: Address;
  readonly currency1: Address;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
};

const KEY = parseAbiParameters(
  '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)',
);

/** Returns the key of a step's pool, or the reason why it is unknown. */
export function readPoolKey({ details, from, to }: SwapStep): PoolKey | string {
  const { currency0, currency1, fee, tickSpacing, hooks } = (details ?? {}) as Partial<
    Record<keyof PoolKey, unknown>
  >;
  const isKey =
    [currency0, currency1, hooks].every((each) => typeof each === 'string' && isHexAddress(each)) &&
    Number.isInteger(fee) &&
    Number.isInteger(tickSpacing);
  if (!isKey) return 'the `details` of a step through Uniswap V4 lack the key of its pool';
  const [lower, upper, hook] = [currency0, currency1, hooks].map((each) =>
    String(each).toLowerCase(),
  ) as [Address, Address, Address];
  if (hook !== zeroAddress) return `the hooks ${hook} of a Uniswap V4 pool are unknown`;
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
