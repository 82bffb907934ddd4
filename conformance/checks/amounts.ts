/** The largest amount a token contract can hold: 2^256 - 1. */
export const UINT256_MAX = (1n << 256n) - 1n;

/**
 * Returns whether a text is an amount at all: decimal digits and nothing else.
 *
 * @example
 * isDecimal('007') // true
 * isDecimal('1e18') // false
 * @see Specification 8, amounts in all payloads
 */
export function isDecimal(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

/**
 * Returns whether a decimal text is spelled the one canonical way: no leading zeros.
 *
 * @example
 * isCanonical('0') // true
 * isCanonical('007') // false
 */
export function isCanonical(text: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(text);
}

/**
 * Returns the amount a decimal text stands for, or undefined where it is none.
 * Texts longer than 1,000 digits are none: no token counts that far, and
 * reading them would cost quadratic time.
 */
export function parseAmount(text: unknown): bigint | undefined {
  return typeof text === 'string' && text.length <= 1_000 && isDecimal(text)
    ? BigInt(text)
    : undefined;
}

/** The longest decimal texts all of which stand for less than 2^256. */
const SURE_DIGITS = 77;

/** Returns whether a decimal text stands for an amount that fits the 256-bit word that token contracts count in. */
export function textFitsUint256(text: string): boolean {
  return text.length <= SURE_DIGITS || fitsUint256(parseAmount(text) ?? -1n);
}

/** Returns whether an amount fits the 256-bit word that token contracts count in. */
export function fitsUint256(amount: bigint): boolean {
  return amount >= 0n && amount <= UINT256_MAX;
}
