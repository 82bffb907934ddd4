/*
 * This module is separate from the schemas, so code that needs only a name does not load the schema
 * library.
 */

/** The router names of sections 2.9 and 4.1. */
export const ROUTER_NAMES = ['service-router', 'universal-router', 'default-router'] as const;

/** The two aliases of the native token (4.1, `sellToken`). */
export const NATIVE_ALIASES = [
  '0x0000000000000000000000000000000000000000',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
] as const;

const [ZEROS, eees] = NATIVE_ALIASES;
const EEES = new RegExp(`^${eees}$`, 'i');

/** Returns whether an address is one of the two aliases of the native token, in any letter case. */
export function isNative(address: string): boolean {
  return address === ZEROS || EEES.test(address);
}
