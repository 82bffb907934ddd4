/** Values of each name of a query string, decoded, in order. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the decoded parameters of a request target, or `undefined` where its
 * percent-encoding is malformed (`%ZZ`, or bytes that are not UTF-8). `+` is a
 * space, as in forms; empty segments (`&&`) are skipped.
 *
 * @example
 * parseQuery('/api/v1.0/chains?apiKey=a%20b') // Map { 'apiKey' => ['a b'] }
 */
export function parseQuery(target: string): Query | undefined {
  const query = new Map<string, string[]>();
  const start = target.indexOf('?');
  if (start < 0) return query;
  for (const segment of target.slice(start + 1).split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const name = decode(equals < 0 ? segment : segment.slice(0, equals));
    const value = equals < 0 ? '' : decode(segment.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

/**
 * Returns the path of a request target, as sent; of the absolute form
 * (`GET http://host/path`) only the path.
 *
 * @see RFC 9112, section 3.2.2
 */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const end = path.indexOf('?');
  return end < 0 ? path : path.slice(0, end);
}

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
