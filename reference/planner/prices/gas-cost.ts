import type { Address } from '../domain/address.ts';
import type { PoolMarket } from './pool-market.ts';

/** Maximum gas price that is accepted, in wei: 1,000 native tokens per unit of gas. */
export const MAX_GAS_PRICE_WEI = 10n ** 21n;

/** Price of a unit of gas in a token's base units, as a ratio of integers. */
export type GasCost = { readonly numerator: bigint; readonly denominator: bigint };

/**
 * Returns the price of a unit of gas in a token, at the market's mid prices; `undefined` if the
 * market has no price for that token or for the native token.
 * @param prices - USD prices of the market's tokens.
 */
export function gasCostIn(
  { tokens, wrappedNative }: Pick<PoolMarket, 'tokens' | 'wrappedNative'>,
  prices: ReadonlyMap<Address, number>,
  token: Address,
  gasPriceWei: bigint,
): GasCost | undefined {
  if (token === wrappedNative) return { numerator: gasPriceWei, denominator: 1n };
  const [native, other] = [wrappedNative, token].map((each) => ({
    ...ratioOf(prices.get(each) ?? 0),
    unit: 10n ** BigInt(tokens.get(each)?.decimals ?? 0),
  }));
  if (!native?.numerator || !other?.numerator) return undefined;
  return {
    numerator: gasPriceWei * native.numerator * other.denominator * other.unit,
    denominator: native.denominator * native.unit * other.numerator,
  };
}

/**
 * Returns the cost of `gas` in base units, rounded up.
 *
 * @example
 * costOfGas({ numerator: 3n, denominator: 2n }, 5n) // 8n
 */
export function costOfGas({ numerator, denominator }: GasCost, gas: bigint): bigint {
  return (gas * numerator + denominator - 1n) / denominator;
}

function ratioOf(value: number): GasCost {
  let [whole, halvings] = [Number.isFinite(value) ? value : 0, 0];
  for (; !Number.isInteger(whole); halvings++) whole *= 2;
  return { numerator: BigInt(whole), denominator: 1n << BigInt(halvings) };
}
