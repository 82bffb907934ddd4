import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

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

/**
 * Returns whether a 20-byte hex address is written in both letter cases. Only then do its letters
 * state a checksum.
 */
export function isMixedCase(address: string): boolean {
  return isHexAddress(address) && /[a-f]/.test(address) && /[A-F]/.test(address);
}

/**
 * Returns a 20-byte hex address with the letter case of its checksum (EIP-55), or of the checksum
 * that some chains use instead (EIP-1191).
 *
 * @param chainId - Chain of the address, for EIP-1191.
 * @example
 * withChecksum('0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359')
 * // '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
 */
export function withChecksum(address: string, chainId?: number): string {
  const digits = address.slice(2).toLowerCase();
  const hashed = chainId === undefined ? digits : `${chainId}0x${digits}`;
  const hash = bytesToHex(keccak_256(utf8ToBytes(hashed)));
  const letters = [...digits].map((digit, at) =>
    Number.parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${letters.join('')}`;
}
