import * as http from 'node:http';
import * as https from 'node:https';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { BodyRefused, readBody } from '../client/body-reader.ts';
import type { NoReply } from '../client/exchange.ts';
import { MAX_HEADER_BYTES, noReplyFrom } from '../client/no-reply.ts';
import type { WireReply } from '../client/transport.ts';

/** What came of a request that was passed on. */
export type Passed =
  | { readonly kind: 'replied'; readonly wire: Pick<WireReply, 'status' | 'rawHeaders' | 'body'> }
  /** The reply was passed on, and cannot be judged: it is too large, or not what its coding says. */
  | { readonly kind: 'unread'; readonly noReply: NoReply }
  /** The service did not answer to the end: the client was told so, or saw its connection end. */
  | { readonly kind: 'unanswered'; readonly why: string }
  /** The client hung up. */
  | { readonly kind: 'abandoned' };

/** Where requests go. */
export type Onward = {
  readonly target: URL;
  readonly agent: http.Agent;
  /** Of a body that is copied, content codings undone. */
  readonly maxBodyBytes: number;
  /** How long the service may be silent. */
  readonly timeoutMs: number;
  /** Called before more than 1 MB of a body is copied; throws where that is too much. */
  readonly enterLarge: () => Promise<void>;
};

/** A request of a client, and where its reply goes. */
export type Hop = {
  /** Path and query, as they are to be sent. */
  readonly path: string;
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
};

/**
 * Passes a request on as it came, and its reply back as it comes; returns a copy
 * of the reply. A request that a connection was closed under, which had been
 * kept open, is sent once more.
 */
export async function passOn(onward: Onward, hop: Hop): Promise<Passed> {
  const { request, response } = hop;
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const { timeoutMs, target } = onward;
  let isLate = false;
  const send = async (agent: http.Agent | false): Promise<http.IncomingMessage> => {
    const outgoing = open(onward, hop, agent, gone.signal);
    outgoing.setTimeout(timeoutMs, () => {
      isLate = true;
      outgoing.destroy(new Error('silent'));
    });
    request.pipe(outgoing);
    const reply = replyTo(outgoing);
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    return reply.catch((error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      if (isStale && isSafe && agent) return send(false);
      throw error;
    });
  };
  try {
    return await copyBack(onward, await send(onward.agent), response);
  } catch (error) {
    if (gone.signal.aborted) return { kind: 'abandoned' };
    const timedOutAfterMs = isLate ? timeoutMs : undefined;
    const { message } = noReplyFrom(error, { timedOutAfterMs, aborted: false, host: target.host });
    if (response.headersSent) response.destroy();
    else
      refuse(response, 502, 'NO_REPLY', `swapcheck record got no reply of the target: ${message}.`);
    return { kind: 'unanswered', why: message };
  }
}

/** Answers in the place of the service, in a sentence. */
export function refuse(
  response: http.ServerResponse,
  status: number,
  error: string,
  message: string,
): void {
  const body = JSON.stringify({ error, message });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

function open(
  { target }: Onward,
  { path, request }: Hop,
  agent: http.Agent | false,
  signal: AbortSignal,
): http.ClientRequest {
  const { request: ask } = target.protocol === 'https:' ? https : http;
  return ask({
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method: request.method,
    path: toWireBytes(target.pathname.replace(/\/+$/, '') + path),
    headers: ['Host', target.host, ...headersOf(request.rawHeaders).flatMap(withReadableCoding)],
    agent,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
}

function replyTo(outgoing: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // Once there is a reply, its own stream tells what goes wrong.
    outgoing.on('error', reject);
  });
}

async function copyBack(
  { maxBodyBytes, enterLarge }: Onward,
  incoming: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<Passed> {
  const { statusCode: status = 0, statusMessage, rawHeaders } = incoming;
  const copy = new PassThrough();
  const encoding = incoming.headers['content-encoding'];
  const read = readBody(copy, { encoding, maxBytes: maxBodyBytes, enterLarge }).then(
    (body): Passed => ({ kind: 'replied', wire: { status, rawHeaders, body } }),
    (error: unknown): Passed => ({ kind: 'unread', noReply: unread(error) }),
  );
  response.sendDate = false;
  response.writeHead(status, statusMessage, headersOf(rawHeaders).flat());
  // What is not copied to its end is passed on all the same.
  copy.on('error', () => {});
  incoming.pipe(copy);
  incoming.pipe(response);
  try {
    await finished(incoming);
    await finished(response);
  } catch (error) {
    copy.destroy();
    throw error;
  }
  return read;
}

function unread(error: unknown): NoReply {
  const cause = error instanceof BodyRefused ? error.kind : 'protocol';
  return { kind: 'no-reply', cause, message: error instanceof Error ? error.message : `${error}` };
}

/** Headers of one connection, which a proxy does not hand on. @see RFC 9110, section 7.6.1 */
const OF_CONNECTION =
  /^(connection|keep-alive|proxy-[a-z-]+|te|trailer|transfer-encoding|upgrade|expect|host)$/i;

/** Names and values of headers, without those of the connection. */
function headersOf(raw: readonly string[]): (readonly [name: string, value: string])[] {
  const pairs = raw.flatMap((name, at) =>
    at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : [],
  );
  const named = pairs
    .filter(([name]) => /^connection$/i.test(name))
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  return pairs.filter(([name]) => !OF_CONNECTION.test(name) && !named.includes(name.toLowerCase()));
}

/** Codings that can be judged: others are not asked for. */
const READABLE = /^(gzip|x-gzip|deflate|br|identity)\s*(;|$)/i;

function withReadableCoding([name, value]: readonly [string, string]): readonly string[] {
  if (!/^accept-encoding$/i.test(name)) return [name, value];
  const codings = value.split(/\s*,\s*/).filter((coding) => READABLE.test(coding));
  return [name, codings.join(', ') || 'identity'];
}

/** Bytes that a path may not hold are percent-encoded; Node reads them one by one. */
function toWireBytes(path: string): string {
  return path.replace(/[^!-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
