import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { isHexAddress } from './hex.ts';

/** Returns whether a text is a 20-byte hex address whose letters have both cases. */
function isMixedCase(address: string): boolean {
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

/**
 * Returns whether the letter case of an address is its checksum on a chain; undefined if the
 * address states none, because its letters have one case.
 */
export type ChecksumTest = (address: string, chainId: number | undefined) => boolean | undefined;

/** Longer texts, which only a faulty service returns as an address, are not memoized. */
const ADDRESS_LENGTH = 42;

/** Maximum number of addresses whose result is memoized. Beyond it, all are forgotten. */
const MAX_MEMOIZED = 20_000;

/**
 * Returns a function that verifies checksums (EIP-55, or EIP-1191 on the given chain). It memoizes
 * results by address, because the same addresses appear in most replies, and hashing them takes
 * longer than all other rules.
 */
export function createChecksumTest(): ChecksumTest {
  const results = new Map<string, boolean | undefined>();
  const memoize = (key: string, verify: () => boolean | undefined) => {
    if (results.has(key)) return results.get(key);
    if (results.size >= MAX_MEMOIZED) results.clear();
    const result = verify();
    results.set(key, result);
    return result;
  };
  return (address, chainId) => {
    if (address.length !== ADDRESS_LENGTH) return undefined;
    const isStandard = memoize(address, () =>
      isMixedCase(address) ? withChecksum(address) === address : undefined,
    );
    if (isStandard !== false || chainId === undefined) return isStandard;
    return memoize(`${chainId} ${address}`, () => withChecksum(address, chainId) === address);
  };
}
