import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { isHexAddress } from './hex.ts';

/**
 * Returns whether a 20-byte hex address is written in both letter cases. Only then do its letters
 * state a checksum.
 */
export function isMixedCase(address: string): boolean {
  return /[A-F]/.test(address) && /[a-f]/.test(address) && isHexAddress(address);
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

/** Returns whether the letter case of an address is its checksum on a chain. */
export type ChecksumTest = (address: string, chainId: number | undefined) => boolean;

/** Maximum number of addresses whose result is memoized. Beyond it, all are forgotten. */
const MAX_MEMOIZED = 20_000;

/**
 * Returns a function that verifies checksums (EIP-55 or EIP-1191). It memoizes results, because the
 * same addresses appear in most replies and hashing them takes longer than all other rules.
 */
export function createChecksumTest(): ChecksumTest {
  const results = new Map<string, boolean>();
  return (address, chainId) => {
    const key = `${chainId} ${address}`;
    const known = results.get(key);
    if (known !== undefined) return known;
    const holds = [undefined, chainId].some((chain) => withChecksum(address, chain) === address);
    if (results.size >= MAX_MEMOIZED) results.clear();
    results.set(key, holds);
    return holds;
  };
}
