/**
 * Returns whether a text is a 20-byte hex address, in any letter case.
 *
 * @example
 * isHexAddress('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE') // true
 */
export function isHexAddress(text: string): boolean {
  return hexInLowerCase(text) !== undefined;
}

function hexInLowerCase(text: string): string | undefined {
  return text.length === 42 && /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : undefined;
}

/**
 * Returns whether a text is a 20-byte hex address or the 32-byte hex identifier of a pool in a
 * singleton contract.
 */
export function isPoolIdentifier(text: string): boolean {
  return isHexAddress(text) || /^0x[0-9a-fA-F]{64}$/.test(text);
}

/**
 * Returns whether a text is one or more whole bytes in hex.
 *
 * @example
 * isHexBytes('0x3593564c') // true
 * isHexBytes('0x') // false
 */
export function isHexBytes(text: string): boolean {
  return /^0x(?:[0-9a-fA-F]{2})+$/.test(text);
}

/**
 * Returns whether two addresses are the same. Ignores letter case in hex addresses, where it is
 * only a checksum. Other addresses are compared exactly.
 */
export function sameAddress(one: string, other: string): boolean {
  return one === other || addressKey(one) === addressKey(other);
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Returns whether a text is the zero address. */
export function isZeroAddress(text: string): boolean {
  return text === ZERO_ADDRESS;
}

/** Returns a key that is the same for equal addresses. */
export function addressKey(address: string): string {
  return (
    hexInLowerCase(address) ?? (/^0x[0-9a-fA-F]*$/.test(address) ? address.toLowerCase() : address)
  );
}
