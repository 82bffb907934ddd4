/**
 * A 20-byte address as lower-case `0x` hex. `parseAddress` checks it once, so other code can rely
 * on it.
 */
export type Address = `0x${string}` & { readonly __brand: 'Address' };

/**
 * Returns the address in `text` in lower case. Any letter case is accepted.
 * @throws {InvalidAddressError} if `text` is not `0x` and 40 hex digits
 * @example
 * parseAddress('0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE') // '0xeeee...eeee'
 */
export function parseAddress(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new InvalidAddressError(text);
  return text.toLowerCase() as Address;
}

/** Thrown for text that is not a 20-byte hex address. */
class InvalidAddressError extends Error {
  override readonly name = 'InvalidAddressError';

  constructor(text: string) {
    super(`'${text}' is not an address: expected 0x followed by 40 hex digits`);
  }
}
