import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, readQuery } from '../client/request.ts';
import { API_PREFIX, endpointOf } from '../contract/paths.ts';

/** A request in a file, without its API key. */
export type CapturedRequest = {
  readonly request: Pick<Exchange, 'endpoint' | 'target' | 'query' | 'baseUrl'>;
  /** The key that was sent; undefined if there was none or the file lacks it. */
  readonly apiKey: string | undefined;
};

/**
 * Returns the request to a URL or target; undefined if it is not for an operation of the interface.
 */
export function readCapturedRequest(url: string): CapturedRequest | undefined {
  const at = url.indexOf(`${API_PREFIX}/`);
  if (at === -1) return undefined;
  const [target = ''] = url.slice(at).split('#', 1);
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const endpoint = endpointOf(path);
  if (endpoint === undefined) return undefined;
  const key = new URLSearchParams(query).get('apiKey') ?? '';
  const written = query.replace(
    /(^|&)(apiKey=)[^&]+/g,
    `$1$2${KEY_PLACEHOLDER.replace('$', '$$$$')}`,
  );
  const keyless = written === '' ? path : `${path}?${written}`;
  return {
    request: {
      endpoint,
      target: keyless,
      query: readQuery(keyless),
      ...baseUrlOf(url.slice(0, at)),
    },
    apiKey: key === KEY_PLACEHOLDER || key === '' ? undefined : key,
  };
}

function baseUrlOf(text: string): Pick<Exchange, 'baseUrl'> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.host === '') return {};
  // The repetition is bounded, so that it takes linear time for any number of slashes.
  return { baseUrl: `${url.protocol}//${url.host}${url.pathname.replace(/\/{1,64}$/, '')}` };
}
