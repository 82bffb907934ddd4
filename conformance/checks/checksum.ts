import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { isHexAddress } from './hex.ts';

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
