import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestError } from './errors.ts';

/**
 * Headers that forbid clients to store replies or guess their types. Prices move, and a URL may
 * contain a key.
 */
export const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Time for a rejected client to read its reply. */
const LINGER_MS = 1_000;

/** A client that does not read its reply delays a drain by at most this time. */
const MAX_DRAIN_MS = 10_000;

type ServerLimits = {
  /**
   * Maximum number of open connections. Further connections are closed immediately. Default: 4096.
   */
  readonly maxConnections?: number;
  /** Maximum milliseconds to connect and send a whole request. Default: 10,000. */
  readonly requestTimeoutMs?: number;
};

/**
 * Returns an HTTP server. Some input never reaches Node's listener: text that is not HTTP, a
 * request line or headers beyond 64 KiB, or a request that takes too long to arrive. For such
 * input, the server sends a 400 with an Error body instead of Node's bare 400, 408 or 431.
 */
export function createHttpServer(
  listener: RequestListener,
  { maxConnections = 4096, requestTimeoutMs = 10_000 }: ServerLimits = {},
): Server {
  const options = {
    maxHeaderSize: 65_536, // request line and headers together
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 10,
    // The service checks the Host header itself, and replies with an Error body.
    requireHostHeader: false,
  };
  const server = createServer(options, listener);
  server.maxConnections = maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else rejectMalformed(socket);
  });
  return server;
}

function rejectMalformed(socket: Duplex): void {
  const message = 'The request is not well-formed HTTP/1.1, too long, or took too long to arrive.';
  const { status, body } = new RequestError('MALFORMED_REQUEST', message);
  const text = JSON.stringify(body);
  const headers = {
    ...PRIVATE_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Access-Control-Allow-Origin': '*',
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}\r\n${text}`);
  // Closing with unread bytes resets the connection, and the client may never receive the reply.
  socket.removeAllListeners('data').on('data', () => {});
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** A server that accepts connections. */
export type RunningServer = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /**
   * Stops listening, ends each connection with its next reply, and resolves when all connections
   * are closed. Idle connections stay open for `idleMs`, so that a request already on its way is
   * not lost. Libraries would close idle connections immediately.
   */
  readonly drain: (idleMs: number) => Promise<void>;
};

/**
 * Resolves when the server accepts connections. Port 0 selects a free port.
 * @throws {CannotListenError} if the address is in use or not available
 */
export async function listen(server: Server, port: number, host: string): Promise<RunningServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new CannotListenError(host, port, cause)));
    server.listen({ port, host, backlog: server.maxConnections }, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return { url: urlOf(host, bound), drain: (idleMs) => drain(server, idleMs) };
}

/** Returns the base URL of a host and port, with an IPv6 address in brackets. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function drain(server: Server, idleMs: number): Promise<void> {
  // Accepts the connections that clients have already made.
  await new Promise(setImmediate);
  // The HTTP server's `close` would also end idle connections. Its base class only stops listening.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  server.prependListener('request', (_request, response) => {
    response.setHeader('Connection', 'close');
  });
  // A connection that is busy now may become idle later.
  let sweep: NodeJS.Timeout | undefined;
  const idle = setTimeout(() => {
    sweep = setInterval(() => server.closeIdleConnections(), 20);
  }, idleMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), idleMs + MAX_DRAIN_MS);
  await closed;
  for (const timer of [idle, sweep, cutOff]) clearTimeout(timer);
  server.close(); // Stop Node's periodic connection checks.
}

/** Thrown when a server cannot listen on its address. */
export class CannotListenError extends Error {
  override readonly name = 'CannotListenError';

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const why = cause.code === 'EADDRINUSE' ? 'the port is in use' : (cause.code ?? cause.message);
    super(`Cannot listen on ${host}:${port}: ${why}.`, { cause });
  }
}
