/** Maximum amount that a 256-bit word holds: 2^256 - 1. */
export const UINT256_MAX = (1n << 256n) - 1n;

/**
 * Returns whether a text is a decimal amount: decimal digits and nothing else.
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
 * Returns whether a decimal text is in canonical form: without leading zeros.
 *
 * @example
 * isCanonical('0') // true
 * isCanonical('007') // false
 */
export function isCanonical(text: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(text);
}

/**
 * Returns the amount that a decimal text represents, or undefined if it is not an amount. Texts
 * longer than 1,000 digits are rejected: no real amount is that long, and parsing them would take
 * quadratic time.
 */
export function parseAmount(text: unknown): bigint | undefined {
  return typeof text === 'string' && text.length <= 1_000 && isDecimal(text)
    ? BigInt(text)
    : undefined;
}

/** Any decimal number with at most this many digits is less than 2^256. */
const MAX_DIGITS_BELOW_UINT256 = 77;

/**
 * Returns whether a decimal text represents an amount that fits into 256 bits, as token contracts
 * require.
 */
export function textFitsUint256(text: string): boolean {
  return text.length <= MAX_DIGITS_BELOW_UINT256 || fitsUint256(parseAmount(text) ?? -1n);
}

/** Returns whether an amount fits into 256 bits, as token contracts require. */
export function fitsUint256(amount: bigint): boolean {
  return amount >= 0n && amount <= UINT256_MAX;
}
