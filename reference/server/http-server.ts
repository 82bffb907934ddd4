import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { JSON_HEADERS, MALFORMED_REQUEST } from './reply.ts';

/** Bytes of request line and headers together; more is refused. */
const MAX_HEADER_BYTES = 65_536;

/** How long a refused client may take to read why. */
const LINGER_MS = 1_000;

/** Requests of one connection that may wait for their replies; nobody but an attacker sends more ahead. */
const MAX_PIPELINED = 64;

/** How long a client may take to send a request, connecting included. */
const REQUEST_TIMEOUT_MS = 10_000;

/** How long a client that reads no reply can hold up a drain. */
const MAX_DRAIN_MS = 10_000;

/** Bounds of a server. */
type ServerLimits = {
  /** Connections open at once; more are closed as they come. Default 4096. */
  readonly maxConnections?: number;
  /** How long a client may take to send a request, connecting included. Default 10,000. */
  readonly requestTimeoutMs?: number;
};

/**
 * Returns an HTTP server whose refusals carry an Error body too: bytes that are
 * no HTTP request, request lines or headers beyond 64 KiB, a request that
 * takes too long to arrive, and one without exactly one Host, are answered with
 * 400 instead of Node's bare 400, 408 or 431.
 */
export function createHttpServer(
  listener: RequestListener,
  { maxConnections = 4096, requestTimeoutMs = REQUEST_TIMEOUT_MS }: ServerLimits = {},
): Server {
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 10,
    // Node refuses a request without Host too, but without an Error body.
    requireHostHeader: false,
  };
  const unanswered = new WeakMap<Socket, number>();
  const countUnanswered = (socket: Socket, change: number): number => {
    const count = (unanswered.get(socket) ?? 0) + change;
    unanswered.set(socket, count);
    return count;
  };
  const server = createServer(options, (request, response) => {
    const { socket } = request;
    if (countUnanswered(socket, 1) > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    response.once('close', () => countUnanswered(socket, -1));
    if (hasOneHost(request)) listener(request, response);
    else refuseHost(response);
  });
  server.maxConnections = maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuseMalformed(socket);
  });
  return server;
}

/**
 * Whether a request names its host once; HTTP/1.0 may leave it out. Node takes
 * the first of several, and a proxy in front of it maybe the last.
 *
 * @see RFC 9112, section 3.2
 */
function hasOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0;
  for (let name = 0; name < rawHeaders.length; name += 2) {
    if (rawHeaders[name]?.length === 4 && rawHeaders[name]?.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0);
}

function refuseHost(response: ServerResponse): void {
  const { status, body } = MALFORMED_REQUEST;
  response.writeHead(status, REFUSAL_HEADERS).end(body);
}

function refuseMalformed(socket: Duplex): void {
  const { status, body } = MALFORMED_REQUEST;
  const headers = Object.entries(REFUSAL_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${headers.join('')}\r\n${body}`);
  // What is still on its way must be read: closing over unread bytes resets the
  // connection, and the client may never see the reply.
  socket.removeAllListeners('data').on('data', () => {});
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const REFUSAL_HEADERS = {
  ...JSON_HEADERS,
  'Content-Length': Buffer.byteLength(MALFORMED_REQUEST.body),
  Connection: 'close',
};

/** A server that listens. */
export type Listening = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /**
   * Accepts no more, tells every client that asks that its connection ends, and
   * resolves once all are closed. Idle ones have so long to ask once more:
   * a request that is on its way when its connection is closed is lost.
   */
  readonly drain: (idleMs: number, untilUnheard?: UntilUnheard) => Promise<void>;
};

/**
 * Resolves once nobody listens on a port any more. Called when this process no
 * longer does: others may share the port.
 */
type UntilUnheard = () => Promise<void>;

/**
 * Resolves once the server accepts connections; port 0 takes a free one.
 *
 * @throws {CannotListenError} if the address is taken or not to be had
 */
export async function listen(server: Server, port: number, host: string): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new CannotListenError(host, port, cause)));
    server.listen({ port, host, backlog: server.maxConnections }, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return { url: urlOf(host, bound), drain: (...how) => drain(server, ...how) };
}

/** Returns the base URL of a host and port; an IPv6 address is put in brackets. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function drain(server: Server, idleMs: number, untilUnheard?: UntilUnheard): Promise<void> {
  // After the connections that have been made already are accepted.
  await new Promise(setImmediate);
  // Node's own `close` of an HTTP server would end the idle ones at once.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  let unheardAtMs = untilUnheard === undefined ? performance.now() : Number.POSITIVE_INFINITY;
  const unheard = untilUnheard?.() ?? sleep(UNHEARD_MS, undefined, { ref: false });
  // Clients are told once nobody listens any more, since they connect anew at once:
  // what reaches a port that is about to close is lost.
  void unheard.then(() => {
    unheardAtMs = Math.min(unheardAtMs, performance.now());
    server.prependListener('request', (_request, response) => {
      response.setHeader('Connection', 'close');
    });
  });
  // A connection kept alive may be busy now and idle later: look again.
  const sweep = setInterval(() => {
    const drainedMs = performance.now() - unheardAtMs;
    if (drainedMs >= idleMs) server.closeIdleConnections();
    if (drainedMs >= idleMs + MAX_DRAIN_MS) server.closeAllConnections();
  }, SWEEP_MS);
  await closed;
  clearInterval(sweep);
  server.close(); // what Node does for connections, every now and then
}

const SWEEP_MS = 20;
/** In how long a port is surely closed on which this process alone listened. */
const UNHEARD_MS = 100;

/** Thrown when a server cannot listen where it was told to. */
export class CannotListenError extends Error {
  override readonly name = 'CannotListenError';

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const why = cause.code === 'EADDRINUSE' ? 'the port is in use' : (cause.code ?? cause.message);
    super(`Cannot listen on ${host}:${port}: ${why}.`, { cause });
  }
}
