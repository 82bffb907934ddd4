import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { MALFORMED_REQUEST } from './reply.ts';

/** Bytes of request line and headers together; more is refused. */
const MAX_HEADER_BYTES = 65_536;

/** How long a refused client may take to read why. */
const LINGER_MS = 1_000;

/**
 * Returns an HTTP server whose refusals carry an Error body too: bytes that are
 * no HTTP request, and request lines or headers beyond 64 KiB, are answered
 * with 400 instead of Node's bare 400 or 431.
 */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuseMalformed(socket);
  });
  return server;
}

function refuseMalformed(socket: Duplex): void {
  const { status, body } = MALFORMED_REQUEST;
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // What is still on its way must be read: closing over unread bytes resets the
  // connection, and the client may never see the reply.
  socket.removeAllListeners('data').on('data', () => {});
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** A server that listens. */
export type Listening = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Accepts no more, lets what is being answered finish, then resolves. */
  readonly drain: () => Promise<void>;
};

/**
 * Resolves once the server accepts connections; port 0 takes a free one.
 *
 * @throws {CannotListenError} if the address is taken or not to be had
 */
export async function listen(server: Server, port: number, host: string): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new CannotListenError(host, port, cause)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return { url: urlOf(host, bound), drain: () => drain(server) };
}

/** Returns the base URL of a host and port; an IPv6 address is put in brackets. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A connection kept alive may be busy now and idle later: look again.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Thrown when a server cannot listen where it was told to. */
export class CannotListenError extends Error {
  override readonly name = 'CannotListenError';

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const why = cause.code === 'EADDRINUSE' ? 'the port is in use' : (cause.code ?? cause.message);
    super(`Cannot listen on ${host}:${port}: ${why}.`, { cause });
  }
}
