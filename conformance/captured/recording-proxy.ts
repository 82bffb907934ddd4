import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { BodyRefused } from '../client/body-reader.ts';
import { readReply } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import { createRedactor } from '../client/redaction.ts';
import { KEY_PLACEHOLDER, readQuery } from '../client/request.ts';
import { UsageError } from '../output/usage-error.ts';
import { type Hop, type Onward, passOn, refuse } from './pass-on.ts';
import { readRequest } from './read-request.ts';
import { isGarbled, withoutKey } from './recording.ts';

/** What passes through a proxy. */
export type ProxyOptions = {
  readonly target: URL;
  /** Of the loopback; 0 takes a free one. */
  readonly port: number;
  /** Added to requests that carry none. */
  readonly apiKey?: string | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly timeoutMs?: number | undefined;
};

/** What has passed so far. */
export type Passage = {
  requests: number;
  /** Requests that the service did not answer to the end. */
  unanswered: number;
  /** Why the last of them was not. */
  lastFault?: string;
  /** Requests whose client hung up. */
  abandoned: number;
};

/** Exchanges that wait to be judged; beyond them, requests wait. */
const MAX_WAITING = 256;
/** Bodies of more than 1 MB that are copied, or wait to be judged, at once. */
const MAX_LARGE = 8;
/** A client that sends ever other keys fills no memory. */
const MAX_KEYS = 64;
const LINGER_MS = 2_000;

/**
 * Starts a proxy on loopback, which passes all that it gets to the target.
 *
 * @throws {UsageError} where the port cannot be listened on
 */
export async function startRecordingProxy(options: ProxyOptions) {
  const { target, port } = options;
  const queue = new PassThrough({ objectMode: true, highWaterMark: MAX_WAITING });
  // Nobody reads it any more.
  queue.on('error', () => {});
  const large = { count: 0 };
  const apiKeys = new Set(options.apiKey ? [options.apiKey] : []);
  const passage: Passage = { requests: 0, unanswered: 0, abandoned: 0 };
  const { Agent } = target.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true });
  const onward = {
    target,
    agent,
    maxBodyBytes: options.maxBodyBytes ?? 16 * 2 ** 20,
    timeoutMs: options.timeoutMs ?? 60_000,
  };
  const handle = createHandler({ ...options, onward, queue, large, apiKeys, passage });
  const underWay = new Set<Promise<void>>();
  const server = http.createServer((request, response) => {
    const handled = handle(request, response).finally(() => underWay.delete(handled));
    underWay.add(handled);
  });
  await listen(server, port);
  let stopped: Promise<void> | undefined;
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    /** What passes by, without keys; ends once the proxy has stopped. To be read to its end. */
    exchanges: judgedOneByOne(queue, large),
    passage: passage as Readonly<Passage>,
    /** The last keys that were seen. */
    apiKeys: apiKeys as ReadonlySet<string>,
    /** Takes no more, and lets what is under way end, for a while. */
    stop: () => {
      stopped ??= stopServer(server).then(async () => {
        await Promise.all(underWay);
        agent.destroy();
        queue.end();
      });
      return stopped;
    },
  };
}

/** Takes no more connections; those that are busy have a while. */
async function stopServer(server: http.Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), LINGER_MS);
  await closed;
  clearTimeout(timer);
}

/** An exchange on its way to be judged. */
type Waiting = { readonly exchange: Exchange; readonly isLarge: boolean };

async function* judgedOneByOne(queue: PassThrough, large: { count: number }) {
  for await (const { exchange, isLarge } of queue as AsyncIterable<Waiting>) {
    yield exchange;
    // Who asks for the next one has judged this one.
    if (isLarge) large.count -= 1;
  }
}

type Handling = ProxyOptions & {
  readonly onward: Omit<Onward, 'enterLarge'>;
  readonly queue: PassThrough;
  readonly large: { count: number };
  readonly apiKeys: Set<string>;
  readonly passage: Passage;
};

function createHandler({ apiKey, target, onward, queue, large, apiKeys, passage }: Handling) {
  const baseUrl = target.href.replace(/\/$/, '');
  return async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    // What a page of another site makes a browser send must not spend the key.
    if (apiKey && !isLoopback(request.headers.host)) {
      return refuse(
        response,
        403,
        'NOT_LOOPBACK',
        'swapcheck record adds a key: ask it as 127.0.0.1 or localhost.',
      );
    }
    passage.requests += 1;
    const sent = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
    const path = apiKey && !/[?&]apiKey=/.test(sent) ? withKey(sent, apiKey) : sent;
    const asked = readRequest(`${baseUrl}${path}`);
    for (const key of keysIn(path)) remember(apiKeys, key);
    if (queue.writableNeedDrain) await Promise.race([once(queue, 'drain'), once(queue, 'close')]);
    const held = { isLarge: false };
    const enterLarge = async (): Promise<void> => {
      if (large.count >= MAX_LARGE) {
        throw new BodyRefused('too-large', `${MAX_LARGE} large replies were being judged already`);
      }
      large.count += 1;
      held.isLarge = true;
    };
    const startedAtMs = Date.now();
    const start = performance.now();
    const hop: Hop = { path, request, response };
    const passed = await passOn({ ...onward, enterLarge }, hop);
    const durationMs = performance.now() - start;
    if (passed.kind === 'abandoned') passage.abandoned += 1;
    if (passed.kind === 'unanswered') {
      passage.unanswered += 1;
      passage.lastFault = passed.why;
    }
    const outcome = passed.kind === 'replied' ? readReply(passed.wire) : undefined;
    const told = passed.kind === 'unread' ? passed.noReply : outcome;
    if (asked === undefined || told === undefined) {
      if (held.isLarge) large.count -= 1;
      return;
    }
    const redactor = createRedactor(...apiKeys, asked.apiKey);
    const target = redactor.target(asked.asked.target);
    const exchange: Exchange = {
      ...{ id: 0, origin: 'captured', method: request.method ?? 'GET', startedAtMs, durationMs },
      ...{ ...asked.asked, target, query: readQuery(target) },
      ...(told.kind === 'reply' && isGarbled(told, redactor) && { garbled: true }),
      outcome: told.kind === 'reply' ? withoutKey(told, redactor) : told,
    };
    queue.write({ exchange, isLarge: held.isLarge });
  };
}

function withKey(path: string, apiKey: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}apiKey=${encodeURIComponent(apiKey)}`;
}

function keysIn(path: string): readonly string[] {
  const keys = new URLSearchParams(path.split(/\?(.*)/s)[1]).getAll('apiKey');
  return keys.filter((key) => key !== '' && key !== KEY_PLACEHOLDER);
}

function remember(keys: Set<string>, key: string): void {
  keys.delete(key);
  keys.add(key);
  for (const oldest of keys) {
    if (keys.size <= MAX_KEYS) return;
    keys.delete(oldest);
  }
}

function isLoopback(host = ''): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host);
}

async function listen(server: http.Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'the port is in use' : code;
    throw new UsageError(`--port ${port} cannot be listened on: ${why}`, { cause });
  }
}
