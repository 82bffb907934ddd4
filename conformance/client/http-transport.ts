import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';
import { decodeBody, readBody } from './body-reader.ts';
import { SYSTEM_CLOCK } from './clock.ts';
import { createDeadline } from './deadline.ts';
import { MAX_HEADER_BYTES, noReplyFrom, WrongProtocol } from './no-reply.ts';
import { packageVersion } from './package-version.ts';
import { hostAndPort, openTunnel, ProxyRejected } from './proxy-tunnel.ts';
import { proxyCredentials, type Reach, tlsOptionsOf } from './reach.ts';
import { isLongTarget, LONE_SURROGATES, REQUEST_HEADERS } from './request.ts';
import type { Transport, WireReply, WireRequest } from './transport.ts';

export type HttpOptions = Reach & {
  /** Maximum time of a whole exchange, from sending to the last byte. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a body, before and after decompression. Default 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum number of open connections. Default 16. */
  readonly connections?: number | undefined;
  /** True if connections are reused after requests with a body, for servers that stay in step. Default false. */
  readonly reusesAfterBodies?: boolean;
};

/**
 * Returns a transport over HTTP or HTTPS. Redirects are not followed: they are replies like any
 * other.
 */
export function createHttpTransport(baseUrl: URL, options: HttpOptions = {}): Transport {
  const { timeoutMs = 10_000, maxBodyBytes = 16 * 2 ** 20 } = options;
  const { proxy, reusesAfterBodies = false } = options;
  const closing = new AbortController();
  const createAgent = (keepAlive: boolean) =>
    agentFor(
      baseUrl,
      options,
      { keepAlive, maxSockets: options.connections ?? 16 },
      closing.signal,
    );
  const service: ServiceState = {
    ...{ baseUrl, reach: options, reusesAfterBodies },
    ...{ reusing: createAgent(true), fresh: createAgent(false), used: new WeakSet() },
    ...{ lost: 0, folds: false, hasReplied: false },
  };
  return {
    send: async (request) => {
      const deadline = createDeadline(timeoutMs, request.signal, SYSTEM_CLOCK);
      try {
        const incoming = await exchange(service, request, deadline.signal);
        const reply = await readReply(incoming, maxBodyBytes);
        return asExpected(reply, service);
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
    close: async () => {
      closing.abort();
      service.reusing.destroy();
      service.fresh.destroy();
    },
  };
}

type ServiceState = {
  readonly baseUrl: URL;
  readonly reach: Reach;
  readonly reusesAfterBodies: boolean;
  /** Reuses connections. */
  readonly reusing: http.Agent;
  /** Opens a connection for each request. */
  readonly fresh: http.Agent;
  /** Connections that carried a request. Node's own mark omits requests that waited for one. */
  readonly used: WeakSet<object>;
  /** Number of reused connections that ended without a reply. */
  lost: number;
  /** True if the service continues headers on a second line. */
  folds: boolean;
  hasReplied: boolean;
};

/**
 * Maximum number of reused connections that may be lost. Beyond it, every request opens a
 * connection, so that a hang-up counts as the service's reply.
 */
const MAX_LOST = 3;

/**
 * Sends one request and returns the head of its reply. Sends it again if the reused connection had
 * been closed, or if the headers are folded.
 *
 * @see RFC 9112, 9.3.1: retrying requests
 * @see RFC 9112, 5.2: "replace each received obs-fold with one or more SP"
 */
async function exchange(
  service: ServiceState,
  request: WireRequest,
  signal: AbortSignal,
  isRepeated = false,
): Promise<http.IncomingMessage> {
  const { fresh, reusing, lost, folds, reusesAfterBodies } = service;
  const mayReuse = (reusesAfterBodies || staysInStep(request)) && !isRepeated && lost < MAX_LOST;
  const outgoing = http.request({
    ...writeRequest(service, request),
    ...{ agent: mayReuse ? reusing : fresh, signal, insecureHTTPParser: folds },
  });
  let isReused = false;
  try {
    return await new Promise((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('socket', (socket) => {
        isReused = service.used.has(socket);
        service.used.add(socket);
      });
      outgoing.on('response', (incoming) => {
        service.hasReplied = true;
        outgoing.on('error', (error) => incoming.destroy(error));
        resolve(incoming);
      });
      outgoing.end(request.body);
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error && 'code' in error)) throw error;
    if (!service.folds && /Unexpected whitespace after header value/.test(error.message)) {
      service.folds = true;
      return exchange(service, request, signal);
    }
    if (!HANG_UP_CODES.includes(error.code)) throw error;
    if (isReused) {
      service.lost++;
      return exchange(service, request, signal, true);
    }
    const wantsTls = !service.hasReplied && (await completesTlsHandshake(service, signal));
    throw wantsTls ? new WrongProtocol('https') : error;
  }
}

function completesTlsHandshake(
  { baseUrl, reach }: ServiceState,
  signal: AbortSignal,
): Promise<boolean> {
  if (baseUrl.protocol === 'https:' || reach.proxy !== undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const options = { ...hostAndPort(baseUrl), rejectUnauthorized: false, signal };
    const socket = tls.connect(options, () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => resolve(false)).on('close', () => resolve(false));
  });
}

const USER_AGENT = `swapcheck/${packageVersion()}`;
const HANG_UP_CODES: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

/**
 * Returns whether a server is sure to stay in step. One that sends a body after HEAD, or leaves a
 * part of a long request unread, would corrupt the next exchange on the same connection.
 */
function staysInStep({ method, target, body }: WireRequest): boolean {
  return method === 'GET' && body === undefined && !isLongTarget(target);
}

/** A proxy forwards plain HTTP itself; everything else is sent through a tunnel. */
function isForwarded(baseUrl: URL, { proxy }: Reach): boolean {
  return proxy !== undefined && baseUrl.protocol === 'http:';
}

function agentFor(
  baseUrl: URL,
  reach: Reach,
  settings: http.AgentOptions,
  closing: AbortSignal,
): http.Agent {
  const { proxy } = reach;
  const first = isForwarded(baseUrl, reach) ? proxy : baseUrl;
  if (first?.protocol === 'http:') return new http.Agent(settings);
  const agent = new https.Agent({ ...settings, ...tlsOptionsOf(reach) });
  if (proxy === undefined || first === proxy) return agent;
  return Object.assign(agent, {
    createConnection: (options: object, onConnected: Parameters<typeof openTunnel>[4]) =>
      openTunnel(proxy, reach, options, closing, onConnected),
  });
}

function writeRequest(
  { baseUrl, reach }: ServiceState,
  { method, target, headers: added }: WireRequest,
): http.RequestOptions {
  const { headers = [], proxy } = reach;
  const path = baseUrl.pathname.replace(/\/+$/, '') + percentEncodeInvisible(target);
  const forwarder = isForwarded(baseUrl, reach) ? proxy : undefined;
  const credentials = forwarder && proxyCredentials(forwarder);
  return {
    ...{ ...hostAndPort(forwarder ?? baseUrl), method, setHost: false },
    protocol: (forwarder ?? baseUrl).protocol,
    path: forwarder ? `${baseUrl.origin}${path}` : path,
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      host: baseUrl.host,
      'user-agent': USER_AGENT,
      ...REQUEST_HEADERS,
      ...added,
      ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      ...(credentials && { 'proxy-authorization': credentials }),
    },
  };
}

async function readReply(incoming: http.IncomingMessage, maxBytes: number): Promise<WireReply> {
  const { statusCode: status = 0, rawHeaders, headers } = incoming;
  const body = await readBody(incoming, maxBytes);
  const encoding = headers['content-encoding'];
  return { kind: 'wire-reply', status, rawHeaders, body: decodeBody(body, { encoding, maxBytes }) };
}

/** Body of a server's reply to plain HTTP on a port for HTTPS: nginx, Go and Apache. */
const WANTS_TLS = /HTTP request was sent to HTTPS|HTTP request to an HTTPS|plain HTTP to an SSL/;

/** Returns the reply, unless a proxy rejected its credentials, or a server wants HTTPS. */
function asExpected(reply: WireReply, { baseUrl, reach }: ServiceState): WireReply {
  const { status, body } = reply;
  if (baseUrl.protocol !== 'http:') return reply;
  if (status === 407 && reach.proxy !== undefined) throw new ProxyRejected(reach.proxy, status);
  if (status === 400 && WANTS_TLS.test(body.toString('latin1', 0, 1_000))) {
    throw new WrongProtocol('https');
  }
  return reply;
}

function percentEncodeInvisible(target: string): string {
  return target.replace(/[^!-~]+/gu, (text) =>
    encodeURIComponent(text.replace(LONE_SURROGATES, '\uFFFD')),
  );
}
