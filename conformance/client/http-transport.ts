import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { BodyRefused, readBody } from './body-reader.ts';
import { createLargeBodyGate } from './large-body-gate.ts';
import { noReplyFrom } from './no-reply.ts';
import type { Transport, WireReply, WireRequest } from './transport.ts';

export type HttpOptions = {
  /** Of a whole exchange, from sending to the last byte. Default 10,000. */
  readonly timeoutMs?: number;
  /** Of a body, content codings undone. Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Of all headers together. Default 64 KiB. */
  readonly maxHeaderBytes?: number;
  /** Connections kept open. Default 16. */
  readonly connections?: number;
};

/** Carries requests over HTTP or HTTPS. Redirects are not followed: they are replies like any other. */
export function createHttpTransport(baseUrl: URL, options: HttpOptions = {}): Transport {
  const { timeoutMs = 10_000, maxBodyBytes = 4 * 2 ** 20, maxHeaderBytes = 64 * 2 ** 10 } = options;
  const protocol = baseUrl.protocol === 'https:' ? https : http;
  const agent = new protocol.Agent({ keepAlive: true, maxSockets: options.connections ?? 16 });
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const gate = createLargeBodyGate();

  /** When the last reply came over a connection. */
  const repliedAt = new WeakMap<Socket, number>();
  /** Kept connections that ended as they were used again. */
  let lost = 0;

  /** Whether a request failed for the connection that it went over, not for what it asked. */
  const isStale = ({ socket }: http.ClientRequest, error: Error, sentAt: number): boolean => {
    const idleSince = socket === null ? undefined : repliedAt.get(socket);
    if (idleSince === undefined) return false;
    if (sentAt - idleSince >= IDLE_MS) return true;
    const isEnd = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    if (isEnd) lost++;
    return isEnd;
  };

  const exchange = (
    request: WireRequest,
    deadline: Deadline,
    over: http.Agent | false,
  ): Promise<WireReply> =>
    new Promise((resolve, reject) => {
      const sentAt = performance.now();
      const outgoing = protocol.request({
        host: baseUrl.hostname.replace(/^\[|\]$/g, ''),
        port: baseUrl.port,
        method: request.method,
        path: prefix + toWireBytes(request.target),
        headers: { host: baseUrl.host, accept: 'application/json', 'accept-encoding': 'gzip' },
        agent: over,
        maxHeaderSize: maxHeaderBytes,
        signal: deadline.signal,
      });
      let failed = false;
      let answered = false;
      outgoing.on('error', (error) => {
        failed = true;
        const isOpen = !answered && !deadline.signal.aborted;
        reject(isOpen && isStale(outgoing, error, sentAt) ? new StaleConnection(error) : error);
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
        const read = readBody(incoming, {
          encoding: incoming.headers['content-encoding'],
          maxBytes: maxBodyBytes,
          enterLarge: () => deadline.pauseWhile(pass.enter()),
        });
        read.then(
          (body) => {
            if (failed) return pass.leave();
            repliedAt.set(socket, performance.now());
            resolve({
              kind: 'wire-reply',
              status: incoming.statusCode ?? 0,
              rawHeaders: incoming.rawHeaders,
              body,
              release: pass.leave,
            });
          },
          (error: unknown) => {
            pass.leave();
            outgoing.destroy();
            reject(describeCut(error, incoming));
          },
        );
      });
      outgoing.end();
    });

  return {
    send: async (request) => {
      const deadline = createDeadline(timeoutMs, request.signal);
      try {
        const over = lost < MAX_LOST ? agent : false;
        return await exchange(request, deadline, over).catch((error: unknown) => {
          if (error instanceof StaleConnection) return exchange(request, deadline, false);
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
    close: async () => agent.destroy(),
  };
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
  return Object.assign(
    new Error(`the connection closed before the ${promised} bytes of content-length`),
    {
      code: 'CONTENT_CUT',
      cause: error,
    },
  );
}

/** A service may close a connection that lies idle for so long, as often as it likes. */
const IDLE_MS = 1000;

/**
 * One that closes kept connections sooner, and does not say so, is asked on new
 * ones once so many were lost: there an end is its answer.
 */
const MAX_LOST = 3;

/**
 * A kept connection that the service closed as the request went out: whether it
 * was asked is not known, so the request goes out again on a new one.
 *
 * @see RFC 9112, 9.3.1: retrying requests
 */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection';

  constructor(cause: Error) {
    super('a kept connection was closed as it was used again', { cause });
  }
}

/** A timer that fires so late tells that this process was kept from its work, by itself or by others. */
const STALL_MS = 500;

type Deadline = {
  readonly signal: AbortSignal;
  readonly passed: () => boolean;
  /** Time spent waiting for our own gate is not the service's; nor is time in which this process stood still. */
  readonly pauseWhile: (wait: Promise<void>) => Promise<void>;
  readonly clear: () => void;
};

function createDeadline(timeoutMs: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let passed = false;
  let leftMs = timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  let startedAt = 0;
  const start = () => {
    startedAt = performance.now();
    const dueMs = Math.max(0, leftMs);
    timer = setTimeout(() => {
      const lateMs = performance.now() - startedAt - dueMs;
      if (lateMs < STALL_MS) {
        passed = true;
        abort();
      } else {
        // What came meanwhile is yet to be read.
        leftMs = Math.min(lateMs, timeoutMs);
        start();
      }
    }, dueMs);
  };
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  start();
  return {
    signal: controller.signal,
    passed: () => passed,
    pauseWhile: async (wait) => {
      clearTimeout(timer);
      leftMs -= performance.now() - startedAt;
      await wait;
      start();
    },
    clear: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    },
  };
}
