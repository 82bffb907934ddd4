import { connect as connectSocket } from 'node:net';
import type autocannon from 'autocannon';
import type { LossCause } from '../model/figures.ts';
import type { AutocannonClient } from './autocannon-client.ts';
import { type KeepAlive, mayHaveCrossed } from './keep-alive.ts';
import { readContent, readWholeReply } from './whole-reply.ts';

/** What a connection tells its owner. A connection carries one request at a time. */
export type ConnectionEvents = {
  /** The first attempt to connect has ended, well or not. */
  readonly onTried: () => void;
  /** The connection can take a request: at first, and after each reply or loss. Once told, it can until `send`. */
  readonly onFree: (connection: Connection) => void;
  /** `content` is there when it was asked for in `send`. */
  readonly onReply: (
    connection: Connection,
    status: number,
    content: ReplyContent | undefined,
  ) => void;
  /** The request in flight met a connection that was closed while it lay idle, and goes out again on a new one. */
  readonly onSentAgain: () => void;
  /** The request in flight is lost; the connection connects anew and is free after that. */
  readonly onLoss: (connection: Connection, cause: LossCause) => void;
};

/** What a reply carried. */
export type ReplyContent = {
  /** Names and values in turns, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
};

/** One keep-alive connection of autocannon, under a schedule of our own. */
export type Connection = {
  /** Asks for one target; while it connects anew, as soon as there is a socket. */
  readonly send: (target: string, keepBody: boolean) => void;
  /** Gives up the request in flight as timed out, and connects anew. */
  readonly expire: () => void;
};

/**
 * Takes an autocannon client over, from its `setupClient` hook: autocannon
 * keeps the sockets and the parser, but asks us when it would send. A plain
 * reply in one piece is read without the parser: that halves what one costs.
 *
 * autocannon 9.0.0 paces in bursts, keeps a stale parser after a reset and
 * loses what was in flight, so its private `_doRequest` and `_connect` are
 * shadowed. The exact version is pinned; `engine.test.ts` holds the behaviour.
 *
 * @param write - Returns the whole request for a target, as it goes over the wire.
 * @param keepAlive - Shared by the connections to one service.
 */
export function takeOver(
  client: autocannon.Client,
  write: (target: string) => string,
  events: ConnectionEvents,
  keepAlive: KeepAlive,
): Connection {
  const inner = client as unknown as AutocannonClient;
  const line: Line = {
    inFlight: false,
    request: '',
    replies: 0,
    repliedAtMs: 0,
    idleMs: 0,
    isFree: false,
    unwritten: undefined,
    keepBody: false,
    isKept: true,
    isInterim: false,
    reconnecting: false,
    wasTried: false,
    isPrepared: false,
    chunks: [],
    betweenReplies: true,
    failure: 'reset',
    failuresInARow: 0,
    inner,
    events,
    keepAlive,
    connectNow: inner._connect,
    send: (target, keepBody) => send(line, write(target), keepBody),
    expire: () => reconnect(line, 'timeout'),
  };
  // Its own figures are not used: no event of a reply goes to its tracker.
  const emit = inner.emit;
  inner.emit = (event, ...details) => event !== 'response' && emit.call(inner, event, ...details);
  inner._doRequest = () => offer(line);
  inner._connect = () => replaceSocket(line);
  inner.requestIterator.recordBody = (_request, status, _body, rawHeaders) => {
    line.betweenReplies = true;
    if (!line.inFlight) return;
    const content = line.keepBody ? { rawHeaders, body: Buffer.concat(line.chunks) } : undefined;
    endReply(line, status, content);
  };
  inner.on('connError', (error) => {
    line.failuresInARow += 1;
    line.failure = (error?.code && CAUSES[error.code]) || 'reset';
  });
  inner.on('headers', (info) => {
    line.isKept = info?.shouldKeepAlive !== false;
    line.isInterim = (info?.statusCode ?? 200) < 200;
  });
  return line;
}

/** Why no connection was made, by the code of the error; the client's own machine may lack descriptors, ports or memory. */
const CAUSES: Readonly<Record<string, LossCause>> = {
  ECONNREFUSED: 'refused',
  ...{ EMFILE: 'client', ENFILE: 'client', EADDRNOTAVAIL: 'client' },
  ...{ ENOBUFS: 'client', ENOMEM: 'client' },
};

/** A connection with what is known of it. */
type Line = Connection & {
  readonly inner: AutocannonClient;
  readonly events: ConnectionEvents;
  readonly keepAlive: KeepAlive;
  /** autocannon's own `_connect`. */
  readonly connectNow: () => void;
  inFlight: boolean;
  /** The last that was sent. */
  request: string;
  /** Of the present socket. */
  replies: number;
  /** By the clock of `performance`. */
  repliedAtMs: number;
  /** How long the socket had lain idle since its last reply when the last request was sent. */
  idleMs: number;
  /** Its owner has it among the free: a service closes idle connections too. */
  isFree: boolean;
  /** A request that waits for a socket. */
  unwritten: string | undefined;
  keepBody: boolean;
  /** The last reply did not say that it would close the connection. */
  isKept: boolean;
  /** What the parser reads is no reply yet, such as 103: that follows. */
  isInterim: boolean;
  reconnecting: boolean;
  wasTried: boolean;
  /** The parser is ours. */
  isPrepared: boolean;
  chunks: Buffer[];
  betweenReplies: boolean;
  failure: LossCause;
  failuresInARow: number;
};

function send(line: Line, request: string, keepBody: boolean): void {
  line.keepBody = keepBody;
  line.request = request;
  line.inFlight = true;
  line.isFree = false;
  line.failure = 'reset';
  line.idleMs = line.replies === 0 ? 0 : performance.now() - line.repliedAtMs;
  if (line.reconnecting) line.unwritten = request;
  else line.inner.conn.write(request);
}

/** Called when the connection could send: at the end of a connect, and after each reply. */
function offer(line: Line): void {
  if (line.inner.destroyed || line.reconnecting) return;
  prepareParser(line);
  if (!line.isKept) reconnect(line, 'reset');
  else if (line.unwritten !== undefined) {
    line.inner.conn.write(line.unwritten);
    line.unwritten = undefined;
  } else if (!line.isFree) {
    line.isFree = true;
    line.events.onFree(line);
  }
}

function endReply(line: Line, status: number, content: ReplyContent | undefined): void {
  line.inFlight = false;
  line.failuresInARow = 0;
  line.replies += 1;
  line.repliedAtMs = performance.now();
  line.keepAlive.longestMs = Math.max(line.keepAlive.longestMs, line.idleMs);
  line.chunks = [];
  line.events.onReply(line, status, content);
}

function reconnect(line: Line, cause: LossCause): void {
  line.failure = cause;
  line.inner._destroyConnection();
  line.inner._connect();
}

/** Called for every connect, whatever ended the connection before. */
function replaceSocket(line: Line): void {
  const { inner } = line;
  if (line.reconnecting) return;
  line.reconnecting = true;
  // A body without a length ends with its connection.
  if (line.inFlight && line.failure === 'reset') inner.parser.finish();
  // What the old socket still has to say is no news of the new one.
  if (inner.conn !== undefined) inner._destroyConnection();
  // It went out after other replies, and nothing of its own came back.
  const wasKept = line.inFlight && line.failure === 'reset' && line.replies > 0;
  const isSentAgain = wasKept && line.betweenReplies && mayHaveCrossed(line);
  if (isSentAgain) {
    line.unwritten = line.request;
    line.events.onSentAgain();
  } else if (line.inFlight) {
    line.inFlight = false;
    line.events.onLoss(line, line.failure);
  }
  line.chunks = [];
  line.betweenReplies = true;
  line.isKept = true;
  // A service that is down is asked again at most ten times a second a connection.
  if (isSentAgain || line.failuresInARow === 0) connect(line);
  else setTimeout(connect, Math.min(100, 10 * line.failuresInARow), line);
}

function connect(line: Line): void {
  const { inner, events } = line;
  line.reconnecting = false;
  line.replies = 0;
  line.idleMs = 0;
  if (inner.destroyed) return;
  inner.parser.initialize('RESPONSE');
  if (inner.secure) line.connectNow.call(inner);
  else connectPlain(line);
  inner.conn.setDefaultEncoding('latin1');
  if (line.wasTried) return;
  line.wasTried = true;
  const tell = (): void => {
    inner.conn.off('connect', tell).off('error', tell);
    events.onTried();
  };
  inner.conn.on('connect', tell).on('error', tell);
}

/** As autocannon connects, but that every socket reads into one buffer: a stream of chunks costs as much as all else at a reply. */
function connectPlain(line: Line): void {
  const { inner } = line;
  const onread = {
    buffer: READ_BUFFER,
    callback(length: number, buffer: Uint8Array): boolean {
      inner.parser.execute((buffer as Buffer).subarray(0, length));
      return true;
    },
  };
  const { port, hostname: host } = inner.opts;
  inner.conn = connectSocket({ port, host, noDelay: true, onread })
    .on('error', (error) => {
      inner.emit('connError', error);
      if (!inner.destroyed) inner._connect();
    })
    .on('end', () => !inner.destroyed && inner._connect());
  inner._doRequest();
}

const READ_BUFFER = Buffer.alloc(64 * 1024);

/** Changes what autocannon's constructor sets only after its hook has run. */
function prepareParser(line: Line): void {
  if (line.isPrepared) return;
  line.isPrepared = true;
  const { inner } = line;
  // Its timer also fires on an idle connection: deadlines are the engine's.
  inner.timeoutTicker.clear();
  inner.timeoutTicker = { reschedule: () => {}, clear: () => {} };
  const { parser } = inner;
  // Its own handler grows a string with every body; most bodies are not looked at.
  parser[parser.constructor.kOnBody] = (body: Buffer, start: number, length: number) => {
    if (line.keepBody) line.chunks.push(Buffer.from(body.subarray(start, start + length)));
  };
  const { kOnMessageComplete } = parser.constructor;
  const complete = parser[kOnMessageComplete] as () => void;
  // It takes every message for a reply, and fails at one that nobody asked for.
  parser[kOnMessageComplete] = () => {
    if (!line.isInterim && !line.betweenReplies) complete();
  };
  const execute = parser.execute.bind(parser);
  parser.execute = (chunk) => readChunk(line, chunk, execute);
}

function readChunk(line: Line, chunk: Buffer, execute: (chunk: Buffer) => unknown): unknown {
  const { inner } = line;
  if (line.betweenReplies) {
    const status = line.inFlight ? readWholeReply(chunk) : undefined;
    const content = status !== undefined && line.keepBody ? readContent(chunk) : undefined;
    if (status !== undefined && (content !== undefined || !line.keepBody)) {
      endReply(line, status, content);
      return inner._doRequest();
    }
    // The parser ends a message by taking its request from this queue.
    line.betweenReplies = false;
    inner.pipelinedRequests.clear();
    inner.pipelinedRequests.insertRequest(undefined);
  }
  const outcome = execute(chunk);
  if (outcome instanceof Error && !inner.destroyed) reconnect(line, 'protocol');
  return outcome;
}
