import { createHttpTransport } from '../../client/http-transport.ts';
import { readRetryAfter } from '../../client/rate-limiter.ts';
import { isDistinctive, secretReplacer } from '../../client/redaction.ts';
import type { Transport, WireReply } from '../../client/transport.ts';
import { cutText, shorten } from '../../contract/cut-text.ts';
import { findReplyFault } from './reply-schemas.ts';

/** Calls one method of a node and returns its result unchanged. */
export type Rpc = <Result = unknown>(
  method: string,
  params?: readonly unknown[],
) => Promise<Result>;

/** Options for calling a node; all are optional. */
export type RpcOptions = {
  /** Maximum time for one reply, in milliseconds. Default 60000. */
  readonly timeoutMs?: number;
  /** Sends the calls. Default: over HTTP. */
  readonly transport?: Transport;
};

/**
 * Maximum size of a reply. A larger reply is an error; the trace of a valid trade is far smaller.
 */
const MAX_REPLY_BYTES = 32 * 2 ** 20;
/** Every concurrent call may open a connection. */
const HTTP_OPTIONS = {
  connections: Number.POSITIVE_INFINITY,
  maxBodyBytes: MAX_REPLY_BYTES,
  reusesAfterBodies: true,
};

/**
 * Returns a function that calls the node at `url` over HTTP. The function throws
 * `NodeUnreachableError` if there is no JSON-RPC reply, and `JsonRpcError` if the node returns an
 * error.
 *
 * @example await createRpc('http://127.0.0.1:8545')('eth_chainId') // '0x7a69'
 */
export function createRpc(url: string, options: RpcOptions = {}): Rpc {
  const { timeoutMs = 60_000 } = options;
  if (!URL.canParse(url)) {
    return () => Promise.reject(new NodeUnreachableError(url, 'its URL is invalid'));
  }
  const { origin, target, headers } = partsOf(url);
  const transport =
    options.transport ?? createHttpTransport(origin, { timeoutMs, ...HTTP_OPTIONS });
  let id = 0;
  return async <Result>(method: string, params: readonly unknown[] = []) => {
    id += 1;
    const { signal } = new AbortController();
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const sent = await transport.send({ method: 'POST', target, headers, body, signal });
    if (sent.kind === 'no-reply' && sent.cause === 'too-large') {
      throw new JsonRpcError(method, { message: 'its reply is larger than 32 MiB' });
    }
    if (sent.kind === 'no-reply') throw new NodeUnreachableError(url, sent.message);
    const { rejection, reply } = readReply(url, sent);
    if (isError(reply?.error)) throw new JsonRpcError(method, reply.error, url, rejection);
    if (reply?.result === undefined) {
      const lacks = reply === undefined ? 'JSON' : 'a result';
      throw new NodeUnreachableError(url, `HTTP status ${sent.status} without ${lacks}`, rejection);
    }
    const fault = findReplyFault(method, reply.result);
    if (fault === undefined) return reply.result as Result;
    throw new NodeUnreachableError(url, `its result of ${method} is malformed: ${fault}`);
  };
}

type RpcReply = { readonly result?: unknown; readonly error?: unknown };

/** An error that a node returns for a call. A lying node may return values of other types. */
export type NodeError = {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
};

/** Details of a rejected call: the HTTP status, and how long to wait before the next call. */
export type Rejection = {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
};

function isError(error: unknown): error is NodeError {
  return typeof error === 'object' && error !== null;
}

function readReply(url: string, { status, rawHeaders, body }: WireReply) {
  const text = body.toString().trimStart();
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && /^retry-after$/i.test(name));
  const retryAfter = at < 0 ? undefined : rawHeaders[at + 1];
  const rejection: Rejection = { status, retryAfterMs: readRetryAfter(retryAfter, Date.now()) };
  try {
    const reply = text.startsWith('{') ? (JSON.parse(text) as RpcReply) : undefined;
    return { rejection, reply };
  } catch {
    throw new NodeUnreachableError(url, 'its JSON is malformed or cut short', rejection);
  }
}

function partsOf(url: string) {
  const { origin, pathname, search, username, password } = new URL(url);
  const user = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  const headers = {
    'content-type': 'application/json',
    ...((username !== '' || password !== '') && { authorization: `Basic ${user}` }),
  };
  return { origin: new URL(origin), target: pathname + search, headers };
}

/**
 * Returns the origin of a node's URL, since the rest may contain a key.
 *
 * @example originOf('https://node.example/v2/secret') // 'https://node.example'
 */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'a malformed URL';
}

/**
 * Returns a text in which a URL is replaced by its origin and its key is removed, in any encoding.
 *
 * @example
 * hideUrl('no route to https://node.example/v2/KEY', 'https://node.example/v2/KEY')
 * // 'no route to https://node.example'
 */
export function hideUrl(text: string, url: string): string {
  if (!URL.canParse(url)) return text.replaceAll(url, 'a malformed URL');
  const { href, origin } = new URL(url);
  return secretReplacer(
    secretsOf(new URL(url)),
    '',
  )(text.replaceAll(url, origin).replaceAll(href, origin));
}

const MAX_READ_CHARACTERS = 8_192;
const MAX_QUOTED_CHARACTERS = 1_024;

/**
 * Returns the start of a node's text without the URL and its key. The text is cut twice, so that
 * nothing searches megabytes, and no part of a key that the first cut divided remains.
 */
function quoteNode(text: string, url: string): string {
  return shorten(hideUrl(cutText(text, MAX_READ_CHARACTERS), url), MAX_QUOTED_CHARACTERS);
}

/**
 * Returns the parts of a URL that may be secret, the longest first. Excludes common words such as
 * `v2` and `mainnet`.
 */
function secretsOf({ pathname, search, searchParams, username, password }: URL): string[] {
  const whole = [
    pathname + search,
    pathname,
    search,
    `${decoded(username)}:${decoded(password)}`,
    password,
  ];
  const segments = pathname.split('/').flatMap((each) => [each, decoded(each)]);
  const parts = [...segments, ...searchParams.values(), username];
  return [...whole.filter(({ length }) => length > 3), ...parts.filter(isDistinctive)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % sign shows that the text is not encoded.
    return text;
  }
}

/**
 * Resolves to the result of a call, or undefined if the node returns an error, for example because
 * of a revert.
 */
export function undefinedIfRejected<Result>(called: Promise<Result>): Promise<Result | undefined> {
  return called.catch((error: unknown) => {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  });
}

export function quantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}

/** A node sends no JSON-RPC reply. The message shows only the origin of the node's URL. */
export class NodeUnreachableError extends Error {
  override readonly name = 'NodeUnreachableError';
  readonly reason: string;
  readonly rejection: Rejection;

  constructor(url: string, reason: string, rejection: Rejection = {}) {
    // Omits the cause, whose text may contain the URL with its key.
    super(`the node at ${originOf(url)} does not respond: ${reason}`);
    this.reason = reason;
    this.rejection = rejection;
  }
}

/** An error that a node returned. `data` is the revert data if a call reverted. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  readonly method: string;
  /** The node's words. */
  readonly reason: string;
  readonly code: number | undefined;
  readonly data: unknown;
  readonly rejection: Rejection;

  constructor(method: string, error: NodeError, url?: string, rejection: Rejection = {}) {
    const text = typeof error.message === 'string' ? error.message : 'an error without a message';
    const reason = url === undefined ? text : quoteNode(text, url);
    super(`${method}: ${reason}`);
    this.method = method;
    this.reason = reason;
    this.code = typeof error.code === 'number' ? error.code : undefined;
    this.data = error.data;
    this.rejection = rejection;
  }
}
