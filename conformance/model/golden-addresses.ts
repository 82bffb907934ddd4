/*
 * Addresses of the correct replies that rows change and `golden-replies.testing.ts` builds. Each
 * repeats one hex digit, so that a failure shows at a glance which one it is about.
 */

/** An address that repeats a hex digit 40 times. */
export const address = (digit: string) => `0x${digit.repeat(40)}`;

export const WRAPPED = address('a');
export const USD = address('b');
export const SOLD = address('c');
export const BOUGHT = address('d');
export const NATIVE = address('0');
export const OTHER_NATIVE_ALIAS = address('e');
export const ROUTER = address('e');
export const PROXY = address('f');

/** @example inCapitals('0xab') // '0xAB' */
export const inCapitals = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`;
