import type { Address } from '../domain/address.ts';

/** A 32-byte ABI word as 64 hex digits, without `0x`. */
export type Word = string;

/**
 * Returns a number as an ABI word. `value` is 0 to 2^256 - 1.
 *
 * @example
 * wordOf(255n) // '000...0ff'
 */
export function wordOf(value: bigint | number): Word {
  return value.toString(16).padStart(64, '0');
}

/** Returns an address as an ABI word. */
export function addressWord(address: Address): Word {
  return address.slice(2).padStart(64, '0');
}

/** Returns the tail of a dynamic `bytes`: its length and its content, padded to whole words. `hex` has no `0x`. */
export function bytesTail(hex: string): string {
  const words = Math.ceil(hex.length / 64);
  return wordOf(hex.length / 2) + hex.padEnd(words * 64, '0');
}

/** Returns the tail of a dynamic `address[]`. */
export function addressesTail(addresses: readonly Address[]): string {
  return wordOf(addresses.length) + addresses.map(addressWord).join('');
}

/** Returns the tail of a dynamic `bytes[]`: its length, the offsets of its elements, and their tails. */
export function bytesArrayTail(elements: readonly string[]): string {
  const tails = elements.map(bytesTail);
  let offset = elements.length * 32;
  const offsets = tails.map((tail) => {
    const word = wordOf(offset);
    offset += tail.length / 2;
    return word;
  });
  return wordOf(elements.length) + offsets.join('') + tails.join('');
}
