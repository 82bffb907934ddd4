import { isHexAddress } from '../checks/hex.ts';
import { KEY_PLACEHOLDER, type Query, type RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';

/** Writes a trade's query in a format that some clients use. The meaning does not change. */
export type QueryFormat = (query: Query) => RequestTarget;

type UnnecessaryEncoding = {
  /** Encodes every n-th character if the character is unreserved. */
  readonly every: number;
  /** The encoded parts. Default: names and values. */
  readonly parts?: readonly ('name' | 'value')[];
  /** True if hex digits are in lower case. Default: in upper case. */
  readonly inLowerCase?: boolean;
};

/**
 * Returns a query in which more characters than necessary are percent-encoded. This does not change
 * its meaning (RFC 3986, 2.1 and 2.3).
 *
 * @example percentEncode([['chainId', '1']], { every: 7 }) // '%63hainId=%31'
 */
export function percentEncode(
  query: Query,
  { every, parts = ['name', 'value'], inLowerCase = false }: UnnecessaryEncoding,
): string {
  const escaped = (character: string) => {
    const digits = character.charCodeAt(0).toString(16);
    return `%${inLowerCase ? digits : digits.toUpperCase()}`;
  };
  const text = (part: 'name' | 'value', value: string) =>
    parts.includes(part)
      ? Array.from(value, (character, index) =>
          index % every === 0 && /[A-Za-z0-9._~-]/.test(character)
            ? escaped(character)
            : encodeURIComponent(character),
        ).join('')
      : encodeURIComponent(value);
  return query.map(([name, value]) => `${text('name', name)}=${text('value', value)}`).join('&');
}

const encoded =
  (encoding: UnnecessaryEncoding): QueryFormat =>
  (query) => ({ path: PATHS.swap, query: percentEncode(query, encoding) });

/** Formats with unnecessary percent-encoding, except in the name of the API key. */
export const PERCENT_ENCODED: readonly QueryFormat[] = [
  encoded({ every: 1, parts: ['value'] }),
  encoded({ every: 1, parts: ['name'] }),
  encoded({ every: 1 }),
  encoded({ every: 3, inLowerCase: true }),
];

/** Writes the parameters in reverse order, with the key first. */
export const inReverseOrder: QueryFormat = (query) => ({
  path: PATHS.swap,
  query: [...query, ['apiKey', KEY_PLACEHOLDER] as const].reverse(),
  key: 'as-written',
});

const withSeparators =
  (write: (pairs: readonly string[]) => string): QueryFormat =>
  (query) => ({
    path: PATHS.swap,
    query: write([
      ...query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
      `apiKey=${KEY_PLACEHOLDER}`,
    ]),
    key: 'as-written',
  });

/** Formats with superfluous separators, since some clients add a separator to each parameter. */
export const EXTRA_SEPARATORS = {
  '`&` at the end': withSeparators((pairs) => `${pairs.join('&')}&`),
  '`&&` at the end': withSeparators((pairs) => `${pairs.join('&')}&&`),
  '`&` at the start': withSeparators((pairs) => `&${pairs.join('&')}`),
  '`&&` between': withSeparators((pairs) => pairs.join('&&')),
} satisfies Readonly<Record<string, QueryFormat>>;

/** Returns a query with the hex addresses of tokens and accounts in lower or upper case. */
export function inLetterCase(query: Query, letterCase: 'lower' | 'upper'): Query {
  return query.map(([name, value]) => {
    if (!isHexAddress(value)) return [name, value];
    return [
      name,
      letterCase === 'lower' ? value.toLowerCase() : `0x${value.slice(2).toUpperCase()}`,
    ];
  });
}
