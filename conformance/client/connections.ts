import type { Readable } from 'node:stream';
import { Client, type Dispatcher, ProxyAgent } from 'undici';
import type { Clock } from './clock.ts';
import { MAX_HEADER_BYTES } from './no-reply.ts';
import { type Reach, tlsOptionsOf } from './reach.ts';

/** Idle time after which a service may close a connection without consequences. */
const IDLE_MS = 1000;

/**
 * Connections that may be lost when they are used again sooner. Beyond that,
 * every request uses a new one, so that a hang-up counts as the service's reply.
 */
const MAX_LOST = 3;

/** One connection to a service, which may be used for several requests. */
export type Connection = {
  readonly dispatcher: Dispatcher;
  /** When the last reply was complete; undefined for a new connection. */
  repliedAt: number | undefined;
};

/** A request as it is sent. */
export type WrittenRequest = {
  readonly method: string;
  /** Path and query, or the whole URL for a proxy. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** A reply whose body is yet to be read. */
export type Head = {
  readonly status: number;
  /** Names and values in turn, as they arrived. */
  readonly rawHeaders: readonly string[];
  readonly body: Readable;
};

/** Connections to one service, each for one request at a time. */
export type Connections = ReturnType<typeof createConnections>;

export function createConnections(baseUrl: URL, reach: Reach, clock: Clock) {
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  let lost = 0;
  const origin = baseUrl.origin;
  const discard = (connection: Connection): void => {
    open.delete(connection);
    connection.dispatcher.destroy().catch(() => undefined);
  };
  return {
    /** Returns an idle connection, or a new one; new if `isReusable` is false. */
    take: (isReusable: boolean): Connection => {
      const reused = isReusable ? idle.pop() : undefined;
      if (reused !== undefined) return reused;
      const connection: Connection = {
        dispatcher: createDispatcher(baseUrl, reach),
        repliedAt: undefined,
      };
      connection.dispatcher.on('disconnect', () => {
        connection.repliedAt = undefined;
      });
      open.add(connection);
      return connection;
    },
    /** Sends a request over a connection. */
    request: async (
      { dispatcher }: Connection,
      { method, body, ...written }: WrittenRequest,
      signal: AbortSignal,
    ): Promise<Head> => {
      const reply = await dispatcher.request({
        ...{ origin, ...written, body: body ?? null, signal },
        method: method as Dispatcher.HttpMethod,
        responseHeaders: 'raw',
      });
      // Typed as an object, whatever `responseHeaders` is.
      const rawHeaders = reply.headers as unknown as readonly string[];
      return { status: reply.statusCode, rawHeaders, body: reply.body };
    },
    /** Takes a connection back after a complete reply. */
    giveBack: (connection: Connection, isReusable: boolean): void => {
      if (!isReusable || lost >= MAX_LOST) discard(connection);
      else {
        connection.repliedAt = clock.now();
        idle.push(connection);
      }
    },
    discard,
    /**
     * Returns whether a request failed because of the connection that was used
     * again, rather than because of what it requested.
     *
     * @see RFC 9112, 9.3.1: retrying requests
     */
    isStale: (idleSince: number | undefined, error: unknown, sentAt: number): boolean => {
      if (idleSince === undefined) return false;
      if (sentAt - idleSince >= IDLE_MS) return true;
      const isEnd = error instanceof Error && 'code' in error && ENDS.includes(error.code);
      if (isEnd) lost++;
      return isEnd;
    },
    close: async (): Promise<void> => {
      await Promise.all([...open].map(({ dispatcher }) => dispatcher.destroy()));
      open.clear();
      idle.length = 0;
    },
  };
}

const ENDS: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Time limits are those of a whole exchange, which its deadline sets. */
const NO_TIME_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

function createDispatcher(baseUrl: URL, reach: Reach): Dispatcher {
  const { proxy } = reach;
  const options = { ...NO_TIME_LIMITS, maxHeaderSize: MAX_HEADER_BYTES, pipelining: 1 };
  const connect = { ...tlsOptionsOf(reach), timeout: 0 };
  if (proxy === undefined) return new Client(baseUrl.origin, { ...options, connect });
  // A proxy forwards plain HTTP itself; everything else is sent through a tunnel.
  if (baseUrl.protocol === 'http:') return new Client(proxy.origin, { ...options, connect });
  const token = credentialsOf(proxy);
  return new ProxyAgent({
    ...options,
    uri: proxy.origin,
    ...(token !== undefined && { token }),
    connections: 1,
    requestTls: connect,
    proxyTls: connect,
  });
}

/** Returns the value of `proxy-authorization` for the user and password of a proxy's URL. */
export function credentialsOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}
