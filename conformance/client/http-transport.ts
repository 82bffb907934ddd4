import PQueue from 'p-queue';
import { readBody } from './body-reader.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import {
  type Connections,
  createConnections,
  credentialsOf,
  type Head,
  type WrittenRequest,
} from './connections.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { isFolded, requestFolded } from './folded-headers.ts';
import { noReplyFrom } from './no-reply.ts';
import { packageVersion } from './package-version.ts';
import type { Reach } from './reach.ts';
import { isLongTarget } from './request.ts';
import type { Transport, WireReply, WireRequest } from './transport.ts';

export type HttpOptions = Reach & {
  /** Maximum time of a whole exchange, from sending to the last byte. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a body, content codings undone. Default 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum number of open connections. Default 16. */
  readonly connections?: number | undefined;
  /** Whether connections are reused after requests with a body, for servers that stay in step. Default false. */
  readonly reusesAfterBodies?: boolean;
  /** Default: the system's clock. */
  readonly clock?: Clock;
};

/**
 * Returns a transport over HTTP or HTTPS. Redirects are not followed: they are replies like any
 * other.
 */
export function createHttpTransport(baseUrl: URL, options: HttpOptions = {}): Transport {
  const { timeoutMs = 10_000, maxBodyBytes = 16 * 2 ** 20, clock = SYSTEM_CLOCK } = options;
  const line: Line = {
    ...{ baseUrl, clock, maxBodyBytes, reach: options },
    connections: createConnections(baseUrl, options, clock),
    largeBodies: new PQueue({ concurrency: 1 }),
    folds: false,
    reusesAfterBodies: options.reusesAfterBodies ?? false,
  };
  const exchanges = new PQueue({ concurrency: options.connections ?? 16 });
  return {
    send: async (request) => {
      const deadline = createDeadline(timeoutMs, request.signal, clock);
      const { signal } = deadline;
      try {
        return await exchanges.add(() => exchange(line, request, deadline), { signal });
      } catch (error) {
        return noReplyFrom(error, {
          timedOutAfterMs: deadline.passed() ? timeoutMs : undefined,
          aborted: request.signal.aborted,
          host: options.proxy === undefined ? baseUrl.host : `the proxy ${options.proxy.host}`,
        });
      } finally {
        deadline.clear();
      }
    },
    close: () => line.connections.close(),
  };
}

/** State shared by all requests to one service. */
type Line = Required<Pick<HttpOptions, 'clock'>> & {
  readonly baseUrl: URL;
  readonly reach: Reach;
  readonly maxBodyBytes: number;
  readonly reusesAfterBodies: boolean;
  readonly connections: Connections;
  /** Reads and judges one large body at a time, so that a service cannot fill the memory. */
  readonly largeBodies: PQueue;
  /** Whether the service folds headers. */
  folds: boolean;
};

/** Sends one request, and again if the connection was stale; rejects with the original error. */
async function exchange(
  line: Line,
  request: WireRequest,
  deadline: Deadline,
  isReusable = line.reusesAfterBodies || isOrdinary(request),
): Promise<WireReply> {
  const { connections, clock, baseUrl, reach } = line;
  const { signal } = deadline;
  const written = writeRequest(line, request);
  if (line.folds) {
    return readReply(line, await requestFolded(baseUrl, written, reach, signal), deadline);
  }
  const connection = connections.take(isReusable);
  const { repliedAt: idleSince } = connection;
  const sentAt = clock.now();
  let head: Head | undefined;
  try {
    head = await connections.request(connection, written, signal);
    const reply = await readReply(line, head, deadline);
    connections.giveBack(connection, isReusable);
    return reply;
  } catch (error) {
    connections.discard(connection);
    if (head !== undefined || signal.aborted) throw error;
    line.folds = isFolded(error);
    if (!line.folds && !connections.isStale(idleSince, error, sentAt)) throw error;
    return exchange(line, request, deadline, false);
  }
}

/**
 * Returns whether a server is sure to stay in step. One that sends a body after HEAD, or leaves a
 * part of a long request unread, would corrupt the next exchange on the same connection.
 */
function isOrdinary({ method, target, body }: WireRequest): boolean {
  return method === 'GET' && body === undefined && !isLongTarget(target);
}

function writeRequest(
  { baseUrl, reach: { headers = [], proxy } }: Line,
  { method, target, headers: others, body }: WireRequest,
): WrittenRequest {
  const path = baseUrl.pathname.replace(/\/+$/, '') + toWireBytes(target);
  const isForwarded = proxy !== undefined && baseUrl.protocol === 'http:';
  const credentials = isForwarded ? credentialsOf(proxy) : undefined;
  const usual = {
    host: baseUrl.host,
    'user-agent': `swapcheck/${packageVersion()}`,
    accept: 'application/json',
    'accept-encoding': 'gzip',
    ...others,
  };
  const own = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...{ method, body },
    path: isForwarded ? `${baseUrl.origin}${path}` : path,
    headers: {
      ...usual,
      ...Object.fromEntries(own),
      ...(credentials !== undefined && { 'proxy-authorization': credentials }),
    },
  };
}

async function readReply(line: Line, head: Head, deadline: Deadline): Promise<WireReply> {
  const { status, rawHeaders } = head;
  let release = () => {};
  const enterLarge = () =>
    new Promise<void>((resolve) => {
      const judged = new Promise<void>((done) => {
        release = done;
      });
      void line.largeBodies.add(() => {
        resolve();
        return judged;
      });
    });
  try {
    const body = await readBody(head.body, {
      encoding: headerOf(rawHeaders, 'content-encoding'),
      maxBytes: line.maxBodyBytes,
      enterLarge: () => deadline.pauseWhile(enterLarge()),
    });
    return { kind: 'wire-reply', status, rawHeaders, body, release: () => release() };
  } catch (error) {
    release();
    throw describeCut(error, headerOf(rawHeaders, 'content-length'));
  }
}

/** Returns the joined values of a header; undefined without any. */
function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter(
    (_, i) => rawHeaders[i - 1]?.toLowerCase() === name && i % 2 === 1,
  );
  return values.length === 0 ? undefined : values.join(', ');
}

/** Percent-encodes everything but visible ASCII, which is all that a path may contain. */
function toWireBytes(target: string): string {
  return target.replace(/[^!-~]+/gu, (text) =>
    [...Buffer.from(text)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/** Error codes of a body that ended before its length. */
const CUT_CODES: readonly unknown[] = ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_SOCKET'];

/** Returns a message with the expected length of a body that ended early. */
function describeCut(error: unknown, promised: string | undefined): unknown {
  const isCut = error instanceof Error && 'code' in error && CUT_CODES.includes(error.code);
  if (promised === undefined || !isCut) return error;
  const message = `the connection closed before the ${promised} bytes of content-length`;
  return Object.assign(new Error(message), { code: 'CONTENT_CUT', cause: error });
}
