import type { Socket } from 'node:net';
import type autocannon from 'autocannon';
import type { LossCause } from '../model/figures.ts';
import { readWholeReply } from './whole-reply.ts';

/** What a connection tells its owner. A connection carries one request at a time. */
export type ConnectionEvents = {
  /** The first attempt to connect has ended, well or not. */
  readonly onSettled: () => void;
  /** The connection can take a request: at first, and after each reply or loss. Once told, it can until `send`. */
  readonly onFree: (connection: Connection) => void;
  /** `content` is there when it was asked for in `send`. */
  readonly onReply: (
    connection: Connection,
    status: number,
    content: ReplyContent | undefined,
  ) => void;
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
  /** Writes one request, whole as it goes over the wire; while it connects anew, as soon as there is a socket. */
  readonly send: (request: string, keepBody: boolean) => void;
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
 */
export function takeOver(client: autocannon.Client, events: ConnectionEvents): Connection {
  const inner = client as unknown as AutocannonClient;
  const connectNow = inner._connect;
  let inFlight = false;
  // Its owner has it among the free: a service closes idle connections too.
  let isFree = false;
  let unwritten: string | undefined;
  let keepBody = false;
  let keepAlive = true;
  let reconnecting = false;
  let settled = false;
  let chunks: Buffer[] = [];
  let betweenReplies = true;
  let failure: LossCause = 'reset';
  let failuresInARow = 0;

  const reconnect = (cause: LossCause): void => {
    failure = cause;
    inner._destroyConnection();
    inner._connect();
  };
  const connection: Connection = {
    send(request, keep) {
      keepBody = keep;
      inFlight = true;
      isFree = false;
      failure = 'reset';
      if (reconnecting) unwritten = request;
      else inner.conn.write(request);
    },
    expire: () => reconnect('timeout'),
  };

  // Its own figures are not used: no event of a reply goes to its tracker.
  const emit = inner.emit;
  inner.emit = (event, ...details) => event !== 'response' && emit.call(inner, event, ...details);
  // Called when a connection could send: at the end of a connect, and after each reply.
  inner._doRequest = () => {
    if (inner.destroyed || reconnecting) return;
    prepare();
    if (!keepAlive) reconnect('reset');
    else if (unwritten !== undefined) {
      inner.conn.write(unwritten);
      unwritten = undefined;
    } else if (!isFree) {
      isFree = true;
      events.onFree(connection);
    }
  };
  // Called for every connect, whatever ended the connection before.
  inner._connect = () => {
    if (reconnecting) return;
    reconnecting = true;
    // A body without a length ends with its connection.
    if (inFlight && failure === 'reset') inner.parser.finish();
    // What the old socket still has to say is no news of the new one.
    if (inner.conn !== undefined) inner._destroyConnection();
    if (inFlight) {
      inFlight = false;
      events.onLoss(connection, failure);
    }
    chunks = [];
    betweenReplies = true;
    keepAlive = true;
    const again = (): void => {
      reconnecting = false;
      if (inner.destroyed) return;
      inner.parser.initialize('RESPONSE');
      connectNow.call(inner);
      inner.conn.setDefaultEncoding('latin1');
      if (settled) return;
      settled = true;
      const settle = (): void => {
        inner.conn.off('connect', settle).off('error', settle);
        events.onSettled();
      };
      inner.conn.on('connect', settle).on('error', settle);
    };
    // A service that is down is asked again at most ten times a second a connection.
    if (failuresInARow === 0) again();
    else setTimeout(again, Math.min(100, 10 * failuresInARow));
  };
  inner.requestIterator.recordBody = (_request, status, _body, rawHeaders) => {
    betweenReplies = true;
    if (!inFlight) return;
    const content = keepBody ? { rawHeaders, body: Buffer.concat(chunks) } : undefined;
    inFlight = false;
    failuresInARow = 0;
    chunks = [];
    events.onReply(connection, status, content);
  };
  inner.on('connError', (error) => {
    failuresInARow += 1;
    failure = error?.code === 'ECONNREFUSED' ? 'refused' : 'reset';
  });
  inner.on('headers', (info) => {
    keepAlive = info?.shouldKeepAlive !== false;
  });

  // What autocannon's constructor sets only after its hook has run.
  let prepared = false;
  const prepare = (): void => {
    if (prepared) return;
    prepared = true;
    // Its timer also fires on an idle connection: deadlines are the engine's.
    inner.timeoutTicker.clear();
    inner.timeoutTicker = { reschedule: () => {}, clear: () => {} };
    const { parser } = inner;
    // Its own handler grows a string with every body; most bodies are not looked at.
    parser[parser.constructor.kOnBody] = (body: Buffer, start: number, length: number) => {
      if (keepBody) chunks.push(Buffer.from(body.subarray(start, start + length)));
    };
    const execute = parser.execute.bind(parser);
    parser.execute = (chunk) => {
      if (betweenReplies) {
        const status = inFlight && !keepBody ? readWholeReply(chunk) : undefined;
        if (status !== undefined) {
          inFlight = false;
          failuresInARow = 0;
          events.onReply(connection, status, undefined);
          return inner._doRequest();
        }
        // The parser ends a message by taking its request from this queue.
        betweenReplies = false;
        inner.pipelinedRequests.clear();
        inner.pipelinedRequests.insertRequest(undefined);
      }
      const outcome = execute(chunk);
      if (outcome instanceof Error && !inner.destroyed) reconnect('protocol');
      return outcome;
    };
  };
  return connection;
}

// The private parts of autocannon 9.0.0's client that are used here, and no others.
type AutocannonClient = {
  _connect: () => void;
  _doRequest: () => void;
  _destroyConnection: () => void;
  emit: (event: string, ...details: unknown[]) => boolean;
  readonly pipelinedRequests: {
    clear: () => void;
    insertRequest: (request: undefined) => void;
  };
  readonly destroyed: boolean;
  /** Undefined before the first connect. */
  readonly conn: Socket;
  timeoutTicker: { reschedule: (timeoutMs: number) => void; clear: () => void };
  readonly requestIterator: {
    recordBody: (request: unknown, status: number, body: string, rawHeaders: string[]) => void;
  };
  readonly parser: {
    readonly constructor: { readonly kOnBody: number };
    initialize: (type: 'RESPONSE') => void;
    finish: () => void;
    execute: (chunk: Buffer) => unknown;
    [kind: number]: unknown;
  };
  on: (
    event: 'connError' | 'headers',
    listener: (detail?: { readonly code?: string; readonly shouldKeepAlive?: boolean }) => void,
  ) => void;
};
