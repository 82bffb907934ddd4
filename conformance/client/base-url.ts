import { API_PREFIX } from '../contract/paths.ts';
import { UsageError } from '../output/usage-error.ts';

/** Any text before an @ may be a password, whatever the scheme. */
function withoutPassword(text: string): string {
  return text.replace(/^(\w+:[/\\]+)?.*(?=@)/s, '$1***');
}

/**
 * Returns the base URL to which the interface's paths are appended, without a trailing `/api/v1.0`.
 * Error messages end with `hint`.
 *
 * @throws {UsageError} unless the text is an http or https URL without user, query and fragment.
 */
export function parseBaseUrl(text: string, hint = ''): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (text.trim() === '') {
    throw new UsageError('BASE_URL is empty: is the variable set?');
  }
  if (url === undefined || !isPlain || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `BASE_URL '${withoutPassword(text)}': expected an http or https URL without user, query or fragment, such as https://api.example.org${hint}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(API_PREFIX) ? path.slice(0, -API_PREFIX.length) : path;
  return url;
}
