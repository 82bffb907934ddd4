import { type Hidden, isTelling } from './redaction.ts';

/** Settings besides the URL that are needed to reach a service; all are optional. */
export type Reach = {
  /** Sent with every request; replaces our header of the same name. */
  readonly headers?: readonly Header[] | undefined;
  /** An HTTP proxy; the user and password of its URL are sent to it. */
  readonly proxy?: URL | undefined;
  /** CA certificates for the service, as PEM. Default: those of Node. */
  readonly ca?: string | undefined;
  /** The client's certificate and its key, as PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Accepts any certificate of the service. */
  readonly insecure?: boolean | undefined;
};

export type Header = readonly [name: string, value: string];

/** Returns the options of a TLS connection, for `node:tls` and libraries based on it. */
export function tlsOptionsOf({ ca, certificate, insecure = false }: Reach) {
  return {
    ...(ca !== undefined && { ca }),
    ...certificate,
    rejectUnauthorized: !insecure,
    // A server that speaks only HTTP/2 then ends the handshake with an alert.
    ALPNProtocols: ['http/1.1'],
  };
}

const PUBLIC_HEADERS =
  /^(accept|accept-.+|cache-control|content-type|host|origin|referer|user-agent)$/;

/** Returns whether the value of a header must not be shown. */
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
 * Returns the secrets with which a service is reached: header values, their words, and the user and
 * password in `Basic` credentials; the password of the proxy, and its user if it may be a token.
 */
export function secretsOf({ headers = [], proxy }: Reach): readonly Hidden[] {
  const ofHeaders = headers.filter(isSecretHeader).flatMap(([name, value]) => {
    const words = value.split(/[\s,;]+|(?<=\w)=(?=\w)/);
    const decoded = /^basic /i.test(value)
      ? [Buffer.from(words[1] ?? '', 'base64').toString()]
      : [];
    const parts = [value, ...words, ...decoded, ...decoded.flatMap((each) => each.split(/:(.*)/s))];
    const by = headerPlaceholder(name);
    return parts.filter(isTelling).map((text) => ({ text, by }));
  });
  if (proxy === undefined) return ofHeaders;
  const credentials = proxyCredentials(proxy)?.replace(/^Basic /, '') ?? '';
  const parts = [decodeURIComponent(proxy.username), credentials].filter(isTelling);
  const secrets = [...parts, proxy.password, decodeURIComponent(proxy.password)];
  return [...ofHeaders, ...secrets.map((text) => ({ text, by: PROXY_PLACEHOLDER }))];
}

/** Returns the value of `proxy-authorization` for the user and password of a proxy's URL. */
export function proxyCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}
