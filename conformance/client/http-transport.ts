import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';
import { decodeBody, MAX_BODY_BYTES, readBody } from './body-reader.ts';
import { createDeadline, SYSTEM_CLOCK } from './clock.ts';
import {
  ConnectionClosed,
  MAX_HEADER_BYTES,
  noReplyFrom,
  ProtocolSwitched,
  WrongProtocol,
} from './no-reply.ts';
import { PACKAGE_VERSION } from './package-version.ts';
import { hostAndPort, openTunnel, ProxyRejected } from './proxy-tunnel.ts';
import { proxyCredentials, type Reach, tlsOptionsOf } from './reach.ts';
import { isLongTarget, LONE_SURROGATES, REQUEST_HEADERS } from './request.ts';
import type { Transport, WireReply, WireRequest } from './transport.ts';

export type HttpOptions = Reach & {
  /**
   * Maximum time of an exchange, from sending the request to the last byte of the reply, in
   * milliseconds. Default: 10,000.
   */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a body in bytes, before and after decompression. Default: 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum number of open connections. Default: 16. */
  readonly connections?: number | undefined;
};

type TransportOptions = HttpOptions & {
  /**
   * True to reuse a connection after a request with a body, for servers that always read the whole
   * body. Default: false.
   */
  readonly reusesAfterBodies?: boolean;
};

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Returns a transport over HTTP or HTTPS. The transport does not follow redirects, but returns them
 * like any other reply.
 */
export function createHttpTransport(baseUrl: URL, options: TransportOptions = {}): Transport {
  const connections = new Connections(baseUrl, options);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBodyBytes = MAX_BODY_BYTES, proxy } = options;
  return {
    send: async (request) => {
      const deadline = createDeadline(timeoutMs, request.signal, SYSTEM_CLOCK);
      try {
        const incoming = await connections.exchange(request, deadline.signal);
        return replyOfService(await readReply(incoming, maxBodyBytes), baseUrl, proxy);
      } catch (error) {
        return noReplyFrom(error, {
          timedOutAfterMs: deadline.passed() ? timeoutMs : undefined,
          aborted: request.signal.aborted,
          url: baseUrl,
          proxy,
        });
      } finally {
        deadline.clear();
      }
    },
    close: async () => connections.close(),
  };
}

/**
 * After this many lost connections, each request opens a new connection. A hang-up is then reported
 * as the outcome, instead of the request being repeated.
 */
const MAX_LOST_CONNECTIONS = 3;

const HANG_UP_CODES: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

class Connections {
  readonly #baseUrl: URL;
  readonly #options: TransportOptions;
  readonly #closing = new AbortController();
  readonly #reusing: http.Agent;
  /** Opens a connection for each request. */
  readonly #fresh: http.Agent;
  /**
   * Connections that have already carried a request. Node's own flag misses requests that waited
   * for a connection.
   */
  readonly #used = new WeakSet<object>();
  /** Number of reused connections that closed without a reply. */
  #lost = 0;
  /** True if the service folds header lines. */
  #folds = false;
  #hasReplied = false;

  constructor(baseUrl: URL, options: TransportOptions) {
    this.#baseUrl = baseUrl;
    this.#options = options;
    this.#reusing = this.#createAgent(true);
    this.#fresh = this.#createAgent(false);
  }

  close(): void {
    this.#closing.abort();
    this.#reusing.destroy();
    this.#fresh.destroy();
  }

  /**
   * Sends a request. Repeats it if its reused connection had been closed, or if the reply's headers
   * are folded.
   *
   * @see RFC 9112, 9.3.1: retrying requests
   * @see RFC 9112, 5.2: "replace each received obs-fold with one or more SP"
   */
  async exchange(
    request: WireRequest,
    signal: AbortSignal,
    isRepeated = false,
  ): Promise<http.IncomingMessage> {
    const isSafe = this.#options.reusesAfterBodies || isSafeForReuse(request);
    const mayReuse = isSafe && !isRepeated && this.#lost < MAX_LOST_CONNECTIONS;
    signal.throwIfAborted();
    const outgoing = http.request({
      ...this.#write(request),
      ...{ agent: mayReuse ? this.#reusing : this.#fresh, signal },
      insecureHTTPParser: this.#folds,
    });
    let isReused = false;
    try {
      return await new Promise((resolve, reject) => {
        outgoing.on('error', reject);
        // A request that waits for a connection reports no error, and a closed one may report none.
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        const rejectAsClosed = () => reject(new ConnectionClosed());
        outgoing.on('close', rejectAsClosed);
        outgoing.on('upgrade', (_, socket) => {
          socket.destroy();
          reject(new ProtocolSwitched());
        });
        outgoing.on('socket', (socket) => {
          isReused = this.#used.has(socket);
          this.#used.add(socket);
        });
        outgoing.on('response', (incoming) => {
          this.#hasReplied = true;
          if (incoming.statusCode === 101) outgoing.destroy(new ProtocolSwitched());
          else resolve(incoming);
          // Otherwise, each request would create an error, whose stack takes time.
          outgoing.off('close', rejectAsClosed);
          outgoing.on('error', (error) => incoming.destroy(error));
        });
        outgoing.end(request.body);
      });
    } catch (error) {
      if (signal.aborted || !(error instanceof Error && 'code' in error)) throw error;
      if (!this.#folds && /Unexpected whitespace after header value/.test(error.message)) {
        this.#folds = true;
        return this.exchange(request, signal);
      }
      if (!HANG_UP_CODES.includes(error.code)) throw error;
      if (isReused) {
        this.#lost++;
        return this.exchange(request, signal, true);
      }
      const wantsTls = !this.#hasReplied && (await this.#completesTlsHandshake(signal));
      throw wantsTls ? new WrongProtocol('https') : error;
    }
  }

  #completesTlsHandshake(signal: AbortSignal): Promise<boolean> {
    if (this.#baseUrl.protocol === 'https:' || this.#options.proxy !== undefined) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const options = { ...hostAndPort(this.#baseUrl), rejectUnauthorized: false, signal };
      const socket = tls.connect(options, () => {
        resolve(true);
        socket.destroy();
      });
      socket.on('error', () => resolve(false)).on('close', () => resolve(false));
    });
  }

  /** A proxy forwards plain HTTP itself. Everything else is sent through a tunnel. */
  get #forwarder(): URL | undefined {
    return this.#baseUrl.protocol === 'http:' ? this.#options.proxy : undefined;
  }

  #createAgent(keepAlive: boolean): http.Agent {
    const { proxy, connections = 16 } = this.#options;
    const settings = { keepAlive, maxSockets: connections };
    const forwarder = this.#forwarder;
    if ((forwarder ?? this.#baseUrl).protocol === 'http:') return new http.Agent(settings);
    const agent = new https.Agent({ ...settings, ...tlsOptionsOf(this.#options) });
    if (proxy === undefined || forwarder !== undefined) return agent;
    return Object.assign(agent, {
      createConnection: (options: object, onConnected: Parameters<typeof openTunnel>[4]) =>
        openTunnel(proxy, this.#options, options, this.#tunnelSignal(), onConnected),
    });
  }

  /** A tunnel that the proxy never opens must not outlive the request that waits for it. */
  #tunnelSignal(): AbortSignal {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
  }

  #write({ method, target, headers: added }: WireRequest): http.RequestOptions {
    const { host, origin, pathname } = this.#baseUrl;
    const forwarder = this.#forwarder;
    const next = forwarder ?? this.#baseUrl;
    const path = pathname.replace(/\/+$/, '') + percentEncodeInvisible(target);
    const credentials = forwarder && proxyCredentials(forwarder);
    const { headers = [] } = this.#options;
    return {
      ...{ ...hostAndPort(next), method, setHost: false },
      protocol: next.protocol,
      path: forwarder ? `${origin}${path}` : path,
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        host,
        'user-agent': `swapcheck/${PACKAGE_VERSION}`,
        ...REQUEST_HEADERS,
        ...added,
        ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
        ...(credentials && { 'proxy-authorization': credentials }),
      },
    };
  }
}

/**
 * Returns false for requests that may leave a connection unusable. A server that sends a body after
 * HEAD, or reads only part of a long request, would corrupt the next exchange.
 */
function isSafeForReuse({ method, target, body }: WireRequest): boolean {
  return method === 'GET' && body === undefined && !isLongTarget(target);
}

async function readReply(incoming: http.IncomingMessage, maxBytes: number): Promise<WireReply> {
  const { statusCode: status = 0, rawHeaders, headers } = incoming;
  const body = await readBody(incoming, maxBytes);
  const encoding = headers['content-encoding'];
  return { kind: 'wire-reply', status, rawHeaders, body: decodeBody(body, { encoding, maxBytes }) };
}

/** nginx, Go and Apache send one of these texts if they receive plain HTTP on an HTTPS port. */
const REQUIRES_TLS = /HTTP request was sent to HTTPS|HTTP request to an HTTPS|plain HTTP to an SSL/;

/**
 * Throws if the proxy rejected the request, or if the reply shows that the service requires HTTPS.
 */
function replyOfService(reply: WireReply, baseUrl: URL, proxy: URL | undefined): WireReply {
  const { status, body } = reply;
  if (baseUrl.protocol !== 'http:') return reply;
  if (status === 407 && proxy !== undefined) throw new ProxyRejected(proxy, status);
  if (status === 400 && REQUIRES_TLS.test(body.toString('latin1', 0, 1_000))) {
    throw new WrongProtocol('https');
  }
  return reply;
}

function percentEncodeInvisible(target: string): string {
  return target.replace(/[^!-~]+/gu, (text) =>
    encodeURIComponent(text.replace(LONE_SURROGATES, '\uFFFD')),
  );
}
