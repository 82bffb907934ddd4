import { KEY_PLACEHOLDER } from './request.ts';

/**
 * Returns a line for a POSIX shell that repeats a request and shows the reply's
 * status and headers. The key stays out of it: the shell expands
 * `$SWAPCHECK_API_KEY`, everything else is literal. A key at the end of the
 * query is percent-encoded by curl; elsewhere the variable must hold it encoded.
 *
 * @param target - Path and query as sent, the key replaced by `$SWAPCHECK_API_KEY`.
 * @example
 * curlLine('http://127.0.0.1:8080', '/api/v1.0/chains?apiKey=$SWAPCHECK_API_KEY')
 * // curl -sSi --globoff --path-as-is -G --data-urlencode "apiKey=$SWAPCHECK_API_KEY" 'http://127.0.0.1:8080/api/v1.0/chains'
 */
export function curlLine(baseUrl: string, target: string): string {
  const url = `${baseUrl.replace(/\/+$/, '')}${target}`;
  const command = 'curl -sSi --globoff --path-as-is';
  const last = /^([^$]*)[?&]([A-Za-z0-9_.-]+)=\$SWAPCHECK_API_KEY$/.exec(url);
  if (last === null) return `${command} ${quoteForShell(url)}`;
  const [, rest = '', name] = last;
  return `${command} -G --data-urlencode "${name}=${KEY_PLACEHOLDER}" ${quoteForShell(rest)}`;
}

function quoteForShell(text: string): string {
  return text
    .split(KEY_PLACEHOLDER)
    .map((part) => (part === '' ? '' : `'${part.replaceAll("'", "'\\''")}'`))
    .join(`"${KEY_PLACEHOLDER}"`);
}
