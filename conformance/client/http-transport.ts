import * as http from 'node:http';
import * as https from 'node:https';
import { BodyRefused, readBody } from './body-reader.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { type KeptConnections, keepConnections, StaleConnection } from './kept-connections.ts';
import { createLargeBodyGate, type GatePass, type LargeBodyGate } from './large-body-gate.ts';
import { MAX_HEADER_BYTES, noReplyFrom } from './no-reply.ts';
import { isLongTarget } from './request.ts';
import type { Transport, WireReply, WireRequest } from './transport.ts';

export type HttpOptions = {
  /** Of a whole exchange, from sending to the last byte. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Of a body, content codings undone. Default 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Connections kept open. Default 16. */
  readonly connections?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
};

/** Carries requests over HTTP or HTTPS. Redirects are not followed: they are replies like any other. */
export function createHttpTransport(baseUrl: URL, options: HttpOptions = {}): Transport {
  const { timeoutMs = 10_000, clock = SYSTEM_CLOCK } = options;
  const protocol = baseUrl.protocol === 'https:' ? https : http;
  const agent = new protocol.Agent({ keepAlive: true, maxSockets: options.connections ?? 16 });
  const line: Line = {
    protocol,
    baseUrl,
    clock,
    connections: keepConnections(agent, clock),
    gate: createLargeBodyGate(),
    maxBodyBytes: options.maxBodyBytes ?? 16 * 2 ** 20,
  };
  return {
    send: async (request) => {
      const deadline = createDeadline(timeoutMs, request.signal, clock);
      try {
        const over = isOrdinary(request) && line.connections.agent();
        return await exchange(line, request, deadline, over).catch((error: unknown) => {
          if (error instanceof StaleConnection) return exchange(line, request, deadline, false);
          throw error;
        });
      } catch (error) {
        return noReplyFrom(error, {
          timedOutAfterMs: deadline.passed() ? timeoutMs : undefined,
          aborted: request.signal.aborted,
          host: baseUrl.host,
        });
      } finally {
        deadline.clear();
      }
    },
    close: async () => line.connections.close(),
  };
}

/**
 * Whether a server is sure to answer in step: one that sends a body after HEAD, or
 * leaves a part of a long request unread, would spoil what goes over the same
 * connection next.
 */
function isOrdinary({ method, target, body }: WireRequest): boolean {
  return method === 'GET' && body === undefined && !isLongTarget(target);
}

/** What all requests to one service share. */
type Line = Required<Pick<HttpOptions, 'maxBodyBytes' | 'clock'>> & {
  readonly protocol: typeof http | typeof https;
  readonly baseUrl: URL;
  readonly connections: KeptConnections;
  readonly gate: LargeBodyGate;
};

/** Sends one request and reads its reply; rejects with whatever went wrong. */
function exchange(
  line: Line,
  request: WireRequest,
  deadline: Deadline,
  over: http.Agent | false,
): Promise<WireReply> {
  const { connections, clock, gate } = line;
  return new Promise((resolve, reject) => {
    const sentAt = clock.now();
    const outgoing = open(line, request, deadline.signal, over);
    let failed = false;
    let answered = false;
    outgoing.on('error', (error) => {
      failed = true;
      const isOpen = !answered && !deadline.signal.aborted;
      const isStale = isOpen && connections.isStale(outgoing, error, sentAt);
      reject(isStale ? new StaleConnection(error) : error);
    });
    outgoing.on('close', () => {
      if (!answered) reject(new BodyRefused('protocol', 'the connection closed without a reply'));
    });
    outgoing.on('response', (incoming) => {
      answered = true;
      const { socket } = incoming;
      const pass = gate.pass();
      // Node only drains a reply whose request was ended; a reader would wait for ever.
      outgoing.on('error', (error) => incoming.destroy(error));
      readReply(line, incoming, deadline, pass).then(
        (reply) => {
          if (failed) return pass.leave();
          connections.replied(socket);
          resolve(reply);
        },
        (error: unknown) => {
          pass.leave();
          outgoing.destroy();
          reject(error);
        },
      );
    });
    outgoing.end(request.body);
  });
}

function open(
  { protocol, baseUrl }: Line,
  { method, target, headers }: WireRequest,
  signal: AbortSignal,
  agent: http.Agent | false,
): http.ClientRequest {
  return protocol.request({
    host: baseUrl.hostname.replace(/^\[|\]$/g, ''),
    port: baseUrl.port,
    method,
    path: baseUrl.pathname.replace(/\/+$/, '') + toWireBytes(target),
    headers: {
      host: baseUrl.host,
      accept: 'application/json',
      'accept-encoding': 'gzip',
      ...headers,
    },
    agent,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
}

async function readReply(
  { maxBodyBytes }: Line,
  incoming: http.IncomingMessage,
  deadline: Deadline,
  pass: GatePass,
): Promise<WireReply> {
  try {
    const body = await readBody(incoming, {
      encoding: incoming.headers['content-encoding'],
      maxBytes: maxBodyBytes,
      enterLarge: () => deadline.pauseWhile(pass.enter()),
    });
    const { statusCode: status = 0, rawHeaders } = incoming;
    return { kind: 'wire-reply', status, rawHeaders, body, release: pass.leave };
  } catch (error) {
    throw describeCut(error, incoming);
  }
}

/** A path may hold visible ASCII only: anything else in a target is percent-encoded, the rest stays as written. */
function toWireBytes(target: string): string {
  return target.replace(/[^!-~]+/gu, (text) =>
    [...Buffer.from(text)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/** Node says only 'aborted' of a body that ends early: say after how much. */
function describeCut(error: unknown, incoming: http.IncomingMessage): unknown {
  const promised = incoming.headers['content-length'];
  if (promised === undefined || incoming.complete || error instanceof BodyRefused) return error;
  if (incoming.errored !== null && 'syscall' in incoming.errored) return error;
  const message = `the connection closed before the ${promised} bytes of content-length`;
  return Object.assign(new Error(message), { code: 'CONTENT_CUT', cause: error });
}
