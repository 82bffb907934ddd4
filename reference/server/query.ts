/**
 * Returns the decoded parameters of a request target, or undefined if its
 * percent-encoding is malformed (`%ZZ`, or bytes that are not UTF-8). `+` is a
 * space, as in forms; empty segments (`&&`) are skipped.
 *
 * @example
 * parseQuery('/api/v1.0/chains?apiKey=a%20b')?.get('apiKey') // 'a b'
 */
export function parseQuery(target: string): URLSearchParams | undefined {
  const start = target.indexOf('?');
  const text = start < 0 ? '' : target.slice(start + 1);
  try {
    decodeURIComponent(text);
  } catch {
    return undefined;
  }
  return new URLSearchParams(text);
}

/**
 * Returns the path of a request target, as sent; of the absolute form (`GET http://host/path`),
 * only its path.
 *
 * @see RFC 9112, section 3.2.2
 */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const end = path.indexOf('?');
  return end < 0 ? path : path.slice(0, end);
}
