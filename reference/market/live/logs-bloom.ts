import { type Hex, keccak256 } from 'viem';

/**
 * Returns the bits that an address or a topic sets in the filter of its block:
 * three of 2048, with the filter read as one number.
 *
 * @see Ethereum Yellow Paper, 4.4.1: M3:2048
 */
export function bloomOf(item: Hex): bigint {
  const hash = BigInt(keccak256(item));
  return [240n, 224n, 208n].reduce((bits, at) => bits | (1n << ((hash >> at) & 2047n)), 0n);
}

/** Whether a filter has all of these bits: without them, what sets them is not in the block. */
export function hasAll(filter: bigint, bits: bigint): boolean {
  return (filter & bits) === bits;
}
