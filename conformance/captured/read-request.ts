import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, readQuery } from '../client/request.ts';
import { API_PREFIX, endpointOf } from '../contract/paths.ts';

/** A request that was read from a file, its key taken out. */
export type CapturedRequest = {
  readonly asked: Pick<Exchange, 'endpoint' | 'target' | 'query' | 'baseUrl'>;
  /** The key that was sent; undefined where there was none, or it was taken out before. */
  readonly apiKey: string | undefined;
};

/** Reads a URL or a target; undefined where it asks for no operation of the interface. */
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
    asked: { endpoint, target: keyless, query: readQuery(keyless), ...baseUrlOf(url.slice(0, at)) },
    apiKey: key === KEY_PLACEHOLDER || key === '' ? undefined : key,
  };
}

/** What stands before the path, without a user and a password; nothing where no host is told. */
function baseUrlOf(text: string): Pick<Exchange, 'baseUrl'> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.host === '') return {};
  return { baseUrl: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}` };
}
