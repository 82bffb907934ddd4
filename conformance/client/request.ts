import { API_PREFIX } from '../contract/paths.ts';
import { UsageError } from '../output/usage-error.ts';

/** Placeholder for the API key in requests, exchanges and curl lines, where a shell expands it. */
export const KEY_PLACEHOLDER = '$SWAPCHECK_API_KEY';

/**
 * Headers of every request that may affect the reply. Commands that repeat a request include these
 * headers.
 */
export const REQUEST_HEADERS = { accept: 'application/json', 'accept-encoding': 'gzip' } as const;

/** Names and decoded values of a query, in order. */
export type Query = readonly (readonly [name: string, value: string])[];

/** A request without its host. */
export type RequestTarget = {
  /**
   * Absolute path without a query, such as `/api/v1.0/swap`. The client sends the path unchanged.
   */
  readonly path: string;
  /**
   * Ordered pairs, which the client percent-encodes, or the raw query string. `KEY_PLACEHOLDER`
   * represents the key in both.
   */
  readonly query: Query | string;
  /** `append` (default) adds `apiKey` as the last parameter; `as-written` adds nothing. */
  readonly key?: 'append' | 'as-written';
  /** Default: GET. */
  readonly method?: string;
};

/**
 * Parses a request from its path and query, as reports write it. If the query has no `apiKey`, the
 * key will be appended.
 *
 * @throws {UsageError} unless the text is a path.
 * @example parseTarget('/api/v1.0/chains?apiKey=$SWAPCHECK_API_KEY').key // 'as-written'
 */
export function parseTarget(text: string): RequestTarget {
  if (!/^\/[!-~]*$/.test(text)) {
    throw new UsageError(
      `request '${text}': expected a path and a query, percent-encoded, such as ${API_PREFIX}/tokens?chainId=1`,
    );
  }
  const [path = '', query = ''] = text.split(/\?(.*)/s);
  return { path, query, key: /(^|&)apiKey=/.test(query) ? 'as-written' : 'append' };
}

/** Returns the path and query as they are sent, with `KEY_PLACEHOLDER` as the key. */
export function writeTarget({ path, query, key = 'append' }: RequestTarget): string {
  const written =
    typeof query === 'string'
      ? query
      : query
          .map(([name, value]) => `${encodeExceptKey(name)}=${encodeExceptKey(value)}`)
          .join('&');
  const keyed = key === 'append' ? [written, `apiKey=${KEY_PLACEHOLDER}`] : [written];
  const full = keyed.filter((part) => part !== '').join('&');
  return full === '' ? path : `${path}?${full}`;
}

/** Matches unpaired surrogates, which UTF-8 cannot encode. */
export const LONE_SURROGATES: RegExp = /[\uD800-\uDFFF]/gu;

function encodeExceptKey(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text;
  return text
    .split(KEY_PLACEHOLDER)
    .map((part) => encodeURIComponent(part.replace(LONE_SURROGATES, '\uFFFD')))
    .join(KEY_PLACEHOLDER);
}

/** Returns the parameters of a request, from either form of the query. */
export function pairsIn({ query }: RequestTarget): Query {
  return typeof query === 'string' ? [...new URLSearchParams(query)] : query;
}

/**
 * Returns the value of a parameter; undefined if the parameter is missing, or if it is repeated,
 * since either value may count.
 */
export function parameterOf(query: Query, name: string): string | undefined {
  let found: string | undefined;
  for (const [each, value] of query) {
    if (each !== name) continue;
    if (found !== undefined) return undefined;
    found = value;
  }
  return found;
}

/**
 * The amount that a swap fixes: the sold amount for exact input, the bought amount for exact
 * output.
 */
export type FixedAmount = 'sellAmount' | 'buyAmount';

/** Returns the name of the amount that a request for a plan fixes; `sellAmount` if it has none. */
export function fixedAmount(query: Query): FixedAmount {
  const isExactOutput = query.some(([name, value]) => name === 'buyAmount' && value !== '');
  return isExactOutput ? 'buyAmount' : 'sellAmount';
}

/** Returns the query parameters as a server decodes them, in order. */
export function readQuery(target: string): Query {
  const at = target.indexOf('?');
  if (at === -1) return [];
  const query = target.slice(at + 1);
  if (!hasNoEncoding(query)) return [...new URLSearchParams(query)];
  const read: (readonly [string, string])[] = [];
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    if (equals !== -1) read.push([part.slice(0, equals), part.slice(equals + 1)]);
    else if (part !== '') read.push([part, '']);
  }
  return read;
}

function hasNoEncoding(query: string): boolean {
  return /^[!-$&-*,-~]*$/.test(query);
}

/**
 * Returns whether a server may reject a request because its target has 4,000 or more characters.
 * The specification leaves this open: "Request size limits: not shown".
 */
export function isLongTarget(target: string): boolean {
  return target.length >= 4_000;
}
