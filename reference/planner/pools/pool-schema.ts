import {
  type Static,
  type TObject,
  type TObjectOptions,
  type TProperties,
  Type,
} from '../../../conformance/contract/schema.ts';
import { parseAddress } from '../domain/address.ts';
import { MarketFileError } from '../domain/market-file-error.ts';
import type { PairIdentity } from './pool.ts';

/** Returns the schema of an object with exactly these properties. */
export function closed<Properties extends TProperties>(
  properties: Properties,
  options: TObjectOptions = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const source = Type.String({
  minLength: 1,
  description: 'Name of the liquidity source, as in routes[].name.',
});

export const address = Type.String({
  pattern: '^0x[0-9a-f]{40}$',
  description: 'A 20-byte address in lower-case hex.',
});

export const unsigned = Type.String({
  pattern: '^(0|[1-9][0-9]*)$',
  maxLength: 78,
  description: 'A whole number as a decimal string.',
});

export const signed = Type.String({
  pattern: '^(0|-?[1-9][0-9]*)$',
  maxLength: 79,
  description: 'A whole number, possibly negative, as a decimal string.',
});

/** Fields of a two-token pool in a market file. */
export const pairIdentity = {
  address,
  source,
  token0: address,
  token1: address,
  feePips: Type.Integer({
    minimum: 0,
    maximum: 999_999,
    description: 'Fee in millionths of the input: 3000 is 0.3%.',
  }),
};

/** Returns the identity of a two-token pool from its file entry. */
export function parsePair(file: Static<TObject<typeof pairIdentity>>): PairIdentity {
  return {
    address: parseAddress(file.address),
    source: file.source,
    token0: parseAddress(file.token0),
    token1: parseAddress(file.token1),
    feePips: file.feePips,
  };
}

/**
 * Returns the whole number in `text`.
 *
 * @throws {MarketFileError} if it is above `max`
 */
export function parseUpTo(max: bigint, text: string, at: string): bigint {
  const value = BigInt(text);
  if (value > max) throw new MarketFileError(at, text, `must be at most ${max}`);
  return value;
}
