import { isHexAddress } from '../checks/hex.ts';
import { KEY_PLACEHOLDER, type Query, type RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';

/** A way in which some client spells the query of a trade; it means the same as any other. */
export type Spelling = (query: Query) => RequestTarget;

/** What is percent-encoded though it need not be. */
type Encoding = {
  /** Every so many characters, of those that are unreserved. */
  readonly every: number;
  /** Default: names and values. */
  readonly parts?: readonly ('name' | 'value')[];
  /** Default: in capitals. */
  readonly inLowerCase?: boolean;
};

/**
 * Returns a query with more percent-encoded than needs to be, which means the
 * same (RFC 3986, 2.1 and 2.3).
 *
 * @example
 * percentEncode([['chainId', '1']], { every: 7 }) // '%63hainId=%31'
 */
export function percentEncode(
  query: Query,
  { every, parts = ['name', 'value'], inLowerCase = false }: Encoding,
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
  (encoding: Encoding): Spelling =>
  (query) => ({ path: PATHS.swap, query: percentEncode(query, encoding) });

/** Percent-encoded where that is not needed; the name of the key is left as it is. */
export const PERCENT_ENCODED: readonly Spelling[] = [
  encoded({ every: 1, parts: ['value'] }),
  encoded({ every: 1, parts: ['name'] }),
  encoded({ every: 1 }),
  encoded({ every: 3, inLowerCase: true }),
];

/** With the parameters in the other order, the key first. */
export const reversed: Spelling = (query) => ({
  path: PATHS.swap,
  query: [...query, ['apiKey', KEY_PLACEHOLDER] as const].reverse(),
  key: 'as-written',
});

const separated =
  (write: (pairs: readonly string[]) => string): Spelling =>
  (query) => ({
    path: PATHS.swap,
    query: write([
      ...query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
      `apiKey=${KEY_PLACEHOLDER}`,
    ]),
    key: 'as-written',
  });

/** With separators that part nothing, as clients leave that write one with each parameter. */
export const SEPARATED = {
  '`&` at the end': separated((pairs) => `${pairs.join('&')}&`),
  '`&&` at the end': separated((pairs) => `${pairs.join('&')}&&`),
  '`&` at the start': separated((pairs) => `&${pairs.join('&')}`),
  '`&&` between': separated((pairs) => pairs.join('&&')),
} satisfies Readonly<Record<string, Spelling>>;

/** Returns a query with its hex addresses, tokens' and accounts', in other letters. */
export function recased(query: Query, letters: 'lower' | 'upper'): Query {
  return query.map(([name, value]) => {
    if (!isHexAddress(value)) return [name, value];
    return [name, letters === 'lower' ? value.toLowerCase() : `0x${value.slice(2).toUpperCase()}`];
  });
}
