import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import { proxyCredentials, type Reach, tlsOptionsOf } from './reach.ts';

type OnConnected = (error: Error | null, connection?: Duplex) => void;

/**
 * Opens a TLS connection to a service through an HTTP proxy, which sees only the service's host and
 * port.
 */
export function openTunnel(
  proxy: URL,
  reach: Reach,
  service: tls.ConnectionOptions,
  signal: AbortSignal,
  onConnected: OnConnected,
): void {
  const host = `${service.host}:${service.port}`;
  const credentials = proxyCredentials(proxy);
  const { request } = proxy.protocol === 'https:' ? https : http;
  request({
    ...{ ...tlsOptionsOf(reach), ...hostAndPort(proxy), signal },
    ...{ method: 'CONNECT', path: host, agent: false },
    headers: { host, ...(credentials && { 'proxy-authorization': credentials }) },
  })
    .on('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) onConnected(null, tls.connect({ ...service, socket }));
      else {
        socket.destroy();
        onConnected(new ProxyRejected(proxy, statusCode));
      }
    })
    .on('error', onConnected)
    .end();
}

/** Returns the host, without the brackets of an IPv6 address, and the port of a URL. */
export function hostAndPort({ hostname, port, protocol }: URL) {
  const standard = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port) };
}

/** The proxy opened no tunnel, or rejected the credentials. */
export class ProxyRejected extends Error {
  override readonly name = 'ProxyRejected';

  constructor({ host }: URL, status: number) {
    const fix = status === 407 ? ': pass its user and password in --proxy' : '';
    super(`the proxy ${host} rejected the request with ${status}${fix}`);
  }
}
