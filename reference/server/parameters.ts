import type { RouterName } from '../../conformance/contract/resources.ts';
import { ROUTER_NAMES } from '../market/router-names.ts';
import type { Address } from '../planner/domain/address.ts';
import { RequestError } from './errors.ts';

/** Parser of a parameter's text. `parse` returns undefined for an invalid value. */
type Parser<Value> = {
  /** Description of a valid value, to follow the word 'expected'. */
  readonly expected: string;
  readonly parse: (text: string) => Value | undefined;
};

const MAX_UINT256 = 2n ** 256n - 1n;

/** Plain decimal digits without sign or leading zeros, 1 to 2^53 - 1. */
const CHAIN_ID: Parser<number> = {
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
const BOOLEAN: Parser<boolean> = {
  expected: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

/** 20 bytes of hex in any letter case. A checksum is not verified. */
export const ADDRESS: Parser<Address> = {
  expected: '0x followed by 40 hex digits',
  parse: (text) => (/^0x[0-9a-fA-F]{40}$/.test(text) ? (text.toLowerCase() as Address) : undefined),
};

/** One of the three router names, in this letter case. */
const ROUTER: Parser<RouterName> = {
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
const API_KEY: Parser<string> = {
  expected: 'an API key of the service',
  parse: (text) => (text === '' ? undefined : text),
};

type Parameter<Value> = Parser<Value> &
  ({ readonly isRequired: true } | { readonly fallback: Value });

/** Key that the reference accepts unless other keys are given. */
export const DEMO_API_KEY = 'demo';

/** The parameter that every operation requires (5). */
export const KEY_PARAMETER = { apiKey: required(API_KEY) };

/**
 * The other parameters of each operation, in the order in which they are checked. `trade.ts`
 * checks the rules that concern several parameters.
 *
 * @see Specification 4.1 to 4.4
 */
export const PARAMETERS = {
  swap: {
    chainId: required(CHAIN_ID),
    sellToken: required(ADDRESS),
    buyToken: required(ADDRESS),
    sellAmount: optional(AMOUNT),
    buyAmount: optional(AMOUNT),
    useRfq: optional(BOOLEAN, false),
    router: optional<RouterName, RouterName>(ROUTER, 'default-router'),
    includeCalldata: optional(BOOLEAN, false),
    userAddress: optional(ADDRESS),
    recipientAddress: optional(ADDRESS),
    slippageTolerance: optional(SLIPPAGE),
  },
  tokens: { chainId: required(CHAIN_ID) },
  chains: {},
  chainInfo: { chainId: required(CHAIN_ID) },
};

/**
 * Returns the decoded parameters of a query. `+` is a space, as in HTML forms, and empty segments
 * (`&&`) are skipped.
 * @throws {RequestError} if the percent-encoding is malformed: `%ZZ`, or bytes that are not UTF-8
 * @example
 * decodeQuery('apiKey=a%20b').get('apiKey') // 'a b'
 */
export function decodeQuery(text: string): URLSearchParams {
  try {
    decodeURIComponent(text);
  } catch {
    // The query is not quoted, since it may contain a key.
    const message = 'The query is malformed: expected percent-encoded UTF-8, such as %C3%A9.';
    throw new RequestError('MALFORMED_REQUEST', message);
  }
  return new URLSearchParams(text);
}

/** Parameters by name. */
export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

/** The parsed values of a table of parameters. */
export type Values<Parameters extends ParameterTable> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Parameter<infer Value>
    ? Value
    : never;
};

/**
 * Returns the value of every parameter in `table`, and ignores other parameters. Errors redact the
 * keys in the same request. They do not redact other clients' keys, because a redaction would
 * confirm a guessed key.
 * @throws {RequestError} for the first parameter that is missing, repeated, empty or invalid
 */
export function readParameters<Parameters extends ParameterTable>(
  table: Parameters,
  query: URLSearchParams,
): Values<Parameters> {
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(table)) {
    const [text, ...more] = query.getAll(name);
    if (text === undefined) {
      if ('isRequired' in parameter) throw missing(name, parameter.expected);
      values[name] = parameter.fallback;
      continue;
    }
    if (more.length > 0) {
      const count = 1 + more.length;
      const message = `Parameter '${name}' is given ${count} times: expected once.`;
      throw new RequestError('REPEATED_PARAMETER', message, {
        details: { parameter: name, count },
      });
    }
    const value = parameter.parse(text);
    if (value === undefined) throw invalid(name, text, parameter.expected, query.getAll('apiKey'));
    values[name] = value;
  }
  return values as Values<Parameters>;
}

/** Returns the error for a missing parameter. */
export function missing(name: string, expected: string): RequestError {
  const message = `Parameter '${name}' is missing: expected ${expected}.`;
  return new RequestError('MISSING_PARAMETER', message, { details: { parameter: name, expected } });
}

/** Returns the error for a parameter with an invalid value. */
export function invalid(
  name: string,
  text: string,
  expected: string,
  apiKeys: readonly string[] = [],
): RequestError {
  const value = name === 'apiKey' ? '' : quote(text, apiKeys);
  const found = text === '' ? 'is empty' : `is '${value}'`;
  const message = `Parameter '${name}' ${found}: expected ${expected}.`;
  return new RequestError('INVALID_PARAMETER', message, {
    details: { parameter: name, value, expected },
  });
}

const MAX_QUOTED_CHARACTERS = 80;

function quote(text: string, apiKeys: readonly string[]): string {
  // One key may be part of another.
  const longestFirst = apiKeys.filter((key) => key !== '').sort((a, b) => b.length - a.length);
  let clean = text;
  for (const key of longestFirst) clean = clean.replaceAll(key, '[redacted]');
  const characters = Array.from(clean);
  if (characters.length <= MAX_QUOTED_CHARACTERS) return clean;
  return `${characters.slice(0, MAX_QUOTED_CHARACTERS).join('')}... (${characters.length})`;
}

function required<Value>(parser: Parser<Value>): Parameter<Value> {
  return { ...parser, isRequired: true };
}

function optional<Value, Fallback extends Value | undefined = undefined>(
  parser: Parser<Value>,
  fallback?: Fallback,
): Parameter<Value | Fallback> {
  return { ...parser, fallback: fallback as Fallback };
}
