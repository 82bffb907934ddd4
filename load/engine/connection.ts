import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecure } from 'node:tls';
import { HTTPParser } from 'http-parser-js';
import { MAX_BODY_BYTES } from '../../conformance/client/body-reader.ts';
import { MAX_HEADER_BYTES } from '../../conformance/client/no-reply.ts';
import type { LossCause } from '../model/metrics.ts';
import { readContent, readWholeReply } from './whole-reply.ts';

/** A keep-alive connection, which carries one request at a time and reconnects by itself. */
export type Connection = {
  /** Requests a target. If there is no socket yet, the request waits for it. */
  readonly send: (target: string, keepBody: boolean) => void;
  /** Treats the request in flight as timed out, and reconnects. */
  readonly expire: () => void;
};

/** Callbacks of a connection to its owner. */
export type ConnectionEvents = {
  /** Called when the first attempt to connect has ended, successful or not. */
  readonly onTried: () => void;
  /**
   * Called when the connection can take a request: after it was opened, and after each reply or
   * loss. Called only once before the next `send`.
   */
  readonly onFree: (connection: Connection) => void;
  /** `content` is set if `send` was called with `keepBody`, or if `wantsReply` returned true. */
  readonly onReply: (
    connection: Connection,
    status: number,
    content: ReplyContent | undefined,
  ) => void;
  /**
   * Returns whether the content of a reply with this status, other than 200, is read although
   * `send` did not ask for it. Default: no.
   */
  readonly wantsReply?: (connection: Connection, status: number) => boolean;
  /**
   * Called if the service had closed the idle connection. The request in flight is sent again on a
   * new connection.
   */
  readonly onSentAgain: () => void;
  /** Called when the request in flight is lost. The connection reconnects, and is then free. */
  readonly onLoss: (connection: Connection, cause: LossCause) => void;
};

/** Headers and body of a reply. */
export type ReplyContent = {
  /** Names and values alternate, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
};

/** Options of {@link connect}. */
export type ConnectOptions = {
  /** Additional request headers: name and value. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  /** CA, client certificate, and whether to verify the service's certificate. */
  readonly tls?: ConnectionOptions | undefined;
};

/**
 * Opens connections to a service and reports their events. Returns a function that closes all of
 * them.
 */
export type Connect = (
  origin: URL,
  count: number,
  events: ConnectionEvents,
  options?: ConnectOptions,
) => () => void;

/** Opens connections over TCP, or over TLS for `https:`. */
export const connect: Connect = (origin, count, events, options = {}) => {
  const shared: Shared = {
    openSocket: socketOpener(origin, options.tls),
    head: `GET ${origin.pathname.replace(/\/+$/, '')}`,
    tail: ` HTTP/1.1\r\n${requestHeaders(origin, options.headers)}\r\n\r\n`,
    events,
    longestIdleMs: 0,
    bufferedBytes: 0,
  };
  const connections = Array.from({ length: count }, () => new HttpConnection(shared));
  return () => {
    for (const connection of connections) connection.close();
  };
};

/** A header replaces an earlier header with the same name. */
function requestHeaders(origin: URL, headers: ConnectOptions['headers'] = []): string {
  const byName = new Map(
    [
      ['Host', origin.host] as const,
      ['Accept', 'application/json'] as const,
      ['Connection', 'keep-alive'] as const,
      ...headers,
    ].map((header) => [header[0].toLowerCase(), header]),
  );
  return [...byName.values()].map(([name, value]) => `${name}: ${value}`).join('\r\n');
}

type OnRead = (chunk: Buffer) => void;

function socketOpener(
  { protocol, hostname, port }: URL,
  tls: ConnectionOptions | undefined,
): (onRead: OnRead) => Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'https:') {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const options = { host, port: Number(port || 443), ...servername, ...tls };
    return (onRead) => connectSecure(options).setNoDelay(true).on('data', onRead);
  }
  const options = { host, port: Number(port || 80), noDelay: true };
  return (onRead) => {
    // All sockets read into one buffer: reading through streams would double the cost of a reply.
    const callback = (length: number): boolean => {
      onRead(READ_BUFFER.subarray(0, length));
      return true;
    };
    return connectPlain({ ...options, onread: { buffer: READ_BUFFER, callback } });
  };
}

const READ_BUFFER = Buffer.alloc(64 * 1024);

type Shared = {
  readonly openSocket: (onRead: OnRead) => Socket;
  readonly head: string;
  readonly tail: string;
  readonly events: ConnectionEvents;
  /** Longest idle time after which a connection still returned a reply. */
  longestIdleMs: number;
  /** Size of the unfinished bodies that all connections keep. */
  bufferedBytes: number;
};

/**
 * Maximum size of the unfinished bodies in memory. Beyond it, a reply is counted like any other,
 * but is not judged.
 */
const MAX_BUFFERED_BYTES = 64 * 2 ** 20;
/** The parser's own message, beyond 80 KiB. */
const HEADERS_TOO_LARGE = 'max header size exceeded';
/** A chunk of one byte has a line with its size, and may have an extension. */
const MAX_FRAMING_BYTES_PER_BODY_BYTE = 16;

/**
 * Returns the cause of a failed connection. `client` means that the client's own machine lacks
 * descriptors, ports or memory.
 */
function connectionErrorCause({ code = '' }: NodeJS.ErrnoException): LossCause {
  return CAUSES[code] ?? 'reset';
}

const CAUSES: Readonly<Record<string, LossCause>> = {
  ECONNREFUSED: 'refused',
  ...{ EMFILE: 'client', ENFILE: 'client', EADDRNOTAVAIL: 'client' },
  ...{ ENOBUFS: 'client', ENOMEM: 'client' },
};

/**
 * A service that checks for idle connections at intervals may keep some connections open up to this
 * many times longer than others.
 */
const MAX_IDLE_RATIO = 3;
/**
 * With this delay, a service that is down receives at most ten connection attempts per second and
 * connection.
 */
const MAX_RECONNECT_DELAY_MS = 100;
const RECONNECT_DELAY_STEP_MS = 10;

class HttpConnection implements Connection {
  readonly #shared: Shared;
  readonly #parser = new HTTPParser('RESPONSE');
  #socket: Socket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  #wasTried = false;
  #failuresInARow = 0;

  #isFree = false;
  #isInFlight = false;
  #isUnsent = false;
  #keepBody = false;
  #request = '';

  #replies = 0;
  #repliedAtMs = 0;
  #idleMs = 0;

  #isInReply = false;
  #status = 0;
  #rawHeaders: readonly string[] = [];
  #chunks: Buffer[] = [];
  #chunkBytes = 0;
  #replyBytes = 0;
  #bodyBytes = 0;
  #staysOpen = true;

  constructor(shared: Shared) {
    this.#shared = shared;
    const parser = this.#parser;
    parser[HTTPParser.kOnHeadersComplete] = ({ statusCode, headers, shouldKeepAlive }) => {
      this.#status = statusCode;
      this.#rawHeaders = headers;
      this.#staysOpen = shouldKeepAlive;
      this.#keepBody ||= this.#isInFlight && this.#isWanted(statusCode);
      // These have no body, but the parser would wait for the bytes that content-length announces.
      return statusCode === 204 || statusCode === 304 ? 1 : 0;
    };
    parser[HTTPParser.kOnBody] = (chunk, start, length) => {
      this.#bodyBytes += length;
      if (this.#keepBody) this.#keep(chunk.subarray(start, start + length));
    };
    parser[HTTPParser.kOnMessageComplete] = () => {
      // The reply follows an interim response, such as 103.
      if (this.#status < 200 || !this.#isInReply) return;
      this.#isInReply = false;
      if (!this.#isInFlight) return;
      const content = this.#keepBody
        ? { rawHeaders: this.#rawHeaders, body: Buffer.concat(this.#chunks) }
        : undefined;
      this.#endReply(this.#status, content);
    };
    this.#open();
  }

  send(target: string, keepBody: boolean): void {
    const { head, tail } = this.#shared;
    this.#request = head + target + tail;
    this.#keepBody = keepBody;
    this.#dropBody();
    this.#isInFlight = true;
    this.#isFree = false;
    this.#idleMs = this.#replies === 0 ? 0 : performance.now() - this.#repliedAtMs;
    if (this.#socket === undefined) this.#isUnsent = true;
    else this.#socket.write(this.#request, 'latin1');
  }

  expire(): void {
    this.#reconnect('timeout');
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#discardSocket();
  }

  #open(): void {
    const { openSocket, events } = this.#shared;
    this.#retry = undefined;
    this.#replies = 0;
    this.#idleMs = 0;
    this.#parser.initialize('RESPONSE');
    const socket = openSocket((chunk) => {
      if (this.#socket === socket) this.#read(chunk);
    });
    this.#socket = socket;
    socket
      .on('error', (error) => {
        this.#failuresInARow += 1;
        this.#reconnect(connectionErrorCause(error));
      })
      .on('end', () => this.#reconnect('reset'));
    if (!this.#wasTried) {
      this.#wasTried = true;
      const onTried = (): void => {
        socket.off('connect', onTried).off('error', onTried);
        events.onTried();
      };
      socket.on('connect', onTried).on('error', onTried);
    }
    this.#offer();
  }

  #offer(): void {
    if (this.#isUnsent) {
      this.#isUnsent = false;
      this.#socket?.write(this.#request, 'latin1');
    } else if (!this.#isFree && !this.#isInFlight) {
      this.#isFree = true;
      this.#shared.events.onFree(this);
    }
  }

  /**
   * Most replies arrive whole in one chunk and are read without the parser, which would cost more
   * than the rest of the request.
   */
  #read(chunk: Buffer): void {
    if (!this.#isInReply) {
      const status = this.#isInFlight ? readWholeReply(chunk) : undefined;
      if (status !== undefined) this.#keepBody ||= this.#isWanted(status);
      const content = status !== undefined && this.#keepBody ? readContent(chunk) : undefined;
      if (status !== undefined && (content !== undefined || !this.#keepBody)) {
        this.#endReply(status, content);
        this.#offer();
        return;
      }
      this.#isInReply = true;
      this.#replyBytes = 0;
      this.#bodyBytes = 0;
    }
    this.#replyBytes += chunk.length;
    const outcome = this.#parser.execute(chunk);
    if (outcome instanceof Error) {
      this.#reconnect(outcome.message === HEADERS_TOO_LARGE ? 'too-large' : 'protocol');
    } else if (this.#isInReply && this.#status === 101) this.#reconnect('protocol');
    else if (this.#isInReply && this.#isTooLarge()) this.#reconnect('too-large');
    else if (this.#isInFlight || this.#isInReply) return;
    else if (this.#staysOpen) this.#offer();
    else this.#reconnect('reset');
  }

  /** Headers, trailers and the lines between chunks count too, since the parser holds them. */
  #isTooLarge(): boolean {
    const framing = this.#replyBytes - this.#bodyBytes;
    const maxFraming = MAX_HEADER_BYTES + MAX_FRAMING_BYTES_PER_BODY_BYTE * this.#bodyBytes;
    return this.#bodyBytes > MAX_BODY_BYTES || framing > maxFraming;
  }

  #isWanted(status: number): boolean {
    if (status === 200 || status < 200) return false;
    return this.#shared.events.wantsReply?.(this, status) ?? false;
  }

  #keep(part: Buffer): void {
    this.#chunkBytes += part.length;
    this.#shared.bufferedBytes += part.length;
    if (this.#shared.bufferedBytes <= MAX_BUFFERED_BYTES) this.#chunks.push(Buffer.from(part));
    else {
      this.#dropBody();
      this.#keepBody = false;
    }
  }

  #dropBody(): void {
    this.#shared.bufferedBytes -= this.#chunkBytes;
    this.#chunkBytes = 0;
    this.#chunks = [];
  }

  #endReply(status: number, content: ReplyContent | undefined): void {
    this.#isInFlight = false;
    this.#dropBody();
    this.#failuresInARow = 0;
    this.#replies += 1;
    this.#repliedAtMs = performance.now();
    const shared = this.#shared;
    if (this.#idleMs > shared.longestIdleMs) shared.longestIdleMs = this.#idleMs;
    shared.events.onReply(this, status, content);
  }

  #reconnect(cause: LossCause): void {
    if (this.#isClosed || this.#socket === undefined) return;
    // If a body has no length, the end of the connection ends it.
    if (this.#isInFlight && cause === 'reset') this.#parser.finish();
    this.#discardSocket();
    this.#dropBody();
    const { events } = this.#shared;
    const isSentAgain = this.#isInFlight && cause === 'reset' && this.#mayHaveCrossed();
    this.#isUnsent = isSentAgain;
    if (isSentAgain) events.onSentAgain();
    else if (this.#isInFlight) {
      this.#isInFlight = false;
      events.onLoss(this, cause);
    }
    this.#isInReply = false;
    this.#staysOpen = true;
    if (isSentAgain || this.#failuresInARow === 0) this.#open();
    else {
      const delayMs = this.#failuresInARow * RECONNECT_DELAY_STEP_MS;
      this.#retry = setTimeout(() => this.#open(), Math.min(MAX_RECONNECT_DELAY_MS, delayMs));
    }
  }

  /**
   * Returns whether the service may have closed the idle connection while the request was on its
   * way. If so, the connection had carried replies before, and no part of this reply arrived. If
   * connections stayed open after much longer idle times, the service received the request and lost
   * it.
   * @see RFC 9112, section 9.3.1
   */
  #mayHaveCrossed(): boolean {
    if (this.#replies === 0 || this.#isInReply) return false;
    return this.#idleMs >= this.#shared.longestIdleMs / MAX_IDLE_RATIO;
  }

  #discardSocket(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    // Late events of a discarded socket are ignored.
    socket
      ?.removeAllListeners('error')
      .removeAllListeners('end')
      .on('error', () => {});
    socket?.destroy();
  }
}
