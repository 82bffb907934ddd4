import { unescape as decodePercent } from 'node:querystring';
import { type Hidden, isDistinctive } from './redaction.ts';

/** Optional settings for reaching a service, in addition to its URL. */
export type Reach = {
  /** Headers to send with every request. Each replaces our own header with the same name. */
  readonly headers?: readonly Header[] | undefined;
  /** URL of an HTTP proxy. The proxy receives the user and password in the URL. */
  readonly proxy?: URL | undefined;
  /** CA certificates for the service, as PEM. Default: Node's. */
  readonly ca?: string | undefined;
  /** The client's certificate and its key, as PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  /** True to accept any certificate from the service. */
  readonly insecure?: boolean | undefined;
};

export type Header = readonly [name: string, value: string];

/** Returns the options of a TLS connection, for `node:tls` and libraries based on it. */
export function tlsOptionsOf({ ca, certificate, insecure = false }: Reach) {
  return {
    ...(ca !== undefined && { ca }),
    ...certificate,
    rejectUnauthorized: !insecure,
    // With this option, a server that speaks only HTTP/2 ends the handshake with an alert.
    ALPNProtocols: ['http/1.1'],
  };
}

const PUBLIC_HEADERS =
  /^(accept|accept-.+|cache-control|content-type|host|origin|referer|user-agent)$/;

/** Returns whether the value of a header must be hidden. */
export function isSecretHeader([name]: Header): boolean {
  return !PUBLIC_HEADERS.test(name.toLowerCase());
}

/**
 * Returns the placeholder for the value of a secret header: a shell variable.
 *
 * @example headerPlaceholder('X-Token') // '$SWAPCHECK_HEADER_X_TOKEN'
 */
export function headerPlaceholder(name: string): string {
  return `$SWAPCHECK_HEADER_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

const PROXY_PLACEHOLDER = '$SWAPCHECK_PROXY_PASSWORD';

/**
 * Returns the secrets in the settings: header values, the words in these values, and the user and
 * password in `Basic` credentials. Also returns the proxy's password, and its user name if the name
 * may be a token.
 */
export function secretsOf({ headers = [], proxy }: Reach): readonly Hidden[] {
  const ofHeaders = headers.filter(isSecretHeader).flatMap(([name, value]) => {
    const words = value.split(/[\s,;]+|(?<=\w)=(?=\w)/);
    const decoded = /^basic /i.test(value)
      ? [Buffer.from(words[1] ?? '', 'base64').toString()]
      : [];
    const parts = [value, ...words, ...decoded, ...decoded.flatMap((each) => each.split(/:(.*)/s))];
    const by = headerPlaceholder(name);
    return parts.filter(isDistinctive).map((text) => ({ text, by }));
  });
  if (proxy === undefined) return ofHeaders;
  const credentials = proxyCredentials(proxy)?.replace(/^Basic /, '') ?? '';
  const parts = [decodePercent(proxy.username), credentials].filter(isDistinctive);
  const secrets = [...parts, proxy.password, decodePercent(proxy.password)];
  return [...ofHeaders, ...secrets.map((text) => ({ text, by: PROXY_PLACEHOLDER }))];
}

/**
 * Returns the value of `proxy-authorization` for the user and password of a proxy's URL. In these,
 * a percent sign without two hex digits stands for itself.
 */
export function proxyCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const plain = `${decodePercent(username)}:${decodePercent(password)}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}
