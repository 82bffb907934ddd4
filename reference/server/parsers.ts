import type { RouterName } from '../../conformance/contract/resources.ts';
import { ROUTER_NAMES } from '../market/router-names.ts';
import type { Address } from '../planner/domain/address.ts';

/** Parser of a parameter's text. `parse` returns undefined for an invalid value. */
export type Parser<Value> = {
  /** Description of a valid value, to follow the word 'expected'. */
  readonly expected: string;
  readonly parse: (text: string) => Value | undefined;
};

const MAX_UINT256 = 2n ** 256n - 1n;

/** Plain decimal digits without sign or leading zeros, 1 to 2^53 - 1. */
export const CHAIN_ID: Parser<number> = {
  expected: 'a positive decimal integer without sign or leading zeros',
  parse: (text) => {
    if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
    const id = Number(text);
    return Number.isSafeInteger(id) ? id : undefined;
  },
};

/** Base units: `^[1-9][0-9]*$` and at most 2^256 - 1. */
export const AMOUNT: Parser<bigint> = {
  expected: 'a positive decimal integer in base units without leading zeros, below 2^256',
  parse: (text) => {
    if (text.length > 78 || !/^[1-9][0-9]*$/.test(text)) return undefined;
    const amount = BigInt(text);
    return amount <= MAX_UINT256 ? amount : undefined;
  },
};

/** Exactly `true` or `false`. */
export const BOOLEAN: Parser<boolean> = {
  expected: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

/** 20 bytes of hex in any letter case. A checksum is not verified. */
export const ADDRESS: Parser<Address> = {
  expected: '0x followed by 40 hex digits',
  parse: (text) => (/^0x[0-9a-fA-F]{40}$/.test(text) ? (text.toLowerCase() as Address) : undefined),
};

/** One of the three router names, in this letter case. */
export const ROUTER: Parser<RouterName> = {
  expected: `one of ${ROUTER_NAMES.join(', ')}`,
  parse: (text) => ROUTER_NAMES.find((name) => name === text),
};

/**
 * A plain decimal from 0 to 1 in steps of 0.0001; trailing zeros are accepted. The result is the
 * number of steps, from 0 to 10000. The text is parsed digit by digit, since the float 0.0003 is
 * not a multiple of 0.0001.
 * @example
 * SLIPPAGE.parse('0.0003') // 3
 * SLIPPAGE.parse('0.00010') // 1
 * SLIPPAGE.parse('0.00015') // undefined
 */
export const SLIPPAGE: Parser<number> = {
  expected: 'a plain decimal from 0 to 1 in steps of 0.0001',
  parse: (text) => {
    const match = /^([01])(?:\.([0-9]{1,4})0*)?$/.exec(text);
    if (!match) return undefined;
    const steps = Number(`${match[1]}${(match[2] ?? '').padEnd(4, '0')}`);
    return steps <= 10_000 ? steps : undefined;
  },
};

/** Any non-empty text. */
export const API_KEY: Parser<string> = {
  expected: 'an API key of the service',
  parse: (text) => (text === '' ? undefined : text),
};
