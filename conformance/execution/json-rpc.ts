import { hiding, isTelling } from '../client/redaction.ts';

/** Calls one method of a node and returns its result as it stands. */
export type Rpc = <Result = unknown>(
  method: string,
  params?: readonly unknown[],
) => Promise<Result>;

/** How a node is called; everything may be left out. */
export type RpcOptions = {
  /** Longest wait for one reply, in milliseconds; default 60000. */
  readonly timeoutMs?: number;
  /** Default the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** URL that the node itself asks: of it, its errors may show the origin alone. */
  readonly upstream?: string;
};

/**
 * Returns the function that calls the node at `url` over HTTP. The function
 * throws `NodeUnreachableError` where no JSON-RPC reply comes, and
 * `JsonRpcError` where the node answers with an error.
 *
 * @example
 * await createRpc('http://127.0.0.1:8545')('eth_chainId') // '0x7a69'
 */
export function createRpc(url: string, options: RpcOptions = {}): Rpc {
  const { timeoutMs = 60_000, fetch: send = fetch, upstream = url } = options;
  const { target, authorization } = withoutUser(url);
  let id = 0;
  return async <Result>(method: string, params: readonly unknown[] = []) => {
    id += 1;
    const { status, retryAfterMs, reply } = await readReply(url, () =>
      send(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
      }),
    );
    const refusal = { status, retryAfterMs };
    if (isError(reply?.error)) throw new JsonRpcError(method, reply.error, upstream, refusal);
    if (reply?.result === undefined) {
      const reason = `HTTP status ${status} without ${reply === undefined ? 'JSON' : 'a result'}`;
      throw new NodeUnreachableError(url, reason, refusal);
    }
    return reply.result as Result;
  };
}

type RpcReply = { readonly result?: unknown; readonly error?: unknown };

/** What a node says of a call that it did not make. */
export type NodeError = {
  readonly code?: number;
  readonly message?: string;
  readonly data?: unknown;
};

/** How a node refused a call: the HTTP status, and after how long it may be asked again. */
export type Refusal = {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
};

function isError(error: unknown): error is NodeError {
  return typeof error === 'object' && error !== null;
}

async function readReply(url: string, send: () => Promise<Response>) {
  try {
    const response = await send();
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      status: response.status,
      retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined,
      reply: text.startsWith('{') ? (JSON.parse(text) as RpcReply) : undefined,
    };
  } catch (cause) {
    throw new NodeUnreachableError(url, reasonOf(cause));
  }
}

/** `fetch` takes no URL with a user in it: user and password go into a header. */
function withoutUser(url: string) {
  if (!URL.canParse(url)) return { target: url, authorization: {} };
  const parsed = new URL(url);
  const { username, password } = parsed;
  if (username === '' && password === '') return { target: url, authorization: {} };
  const user = `${decoded(username)}:${decoded(password)}`;
  parsed.username = '';
  parsed.password = '';
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  return { target: parsed.href, authorization: { authorization } };
}

/** The code of a network error, or its message: neither quotes the URL's path. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const code = (inner as { code?: unknown }).code;
  if (typeof code === 'string') return code;
  return inner instanceof Error && !inner.message.includes('://') ? inner.message : 'no reply';
}

/**
 * Returns the origin of a node's URL: public nodes carry keys in the rest of it.
 *
 * @example
 * originOf('https://node.example/v2/secret') // 'https://node.example'
 */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'a malformed URL';
}

/**
 * Returns a text in which no more than the origin of a URL is left, however the
 * URL and its key are spelled in it.
 *
 * @example
 * hideUrl('no route to https://node.example/v2/KEY', 'https://node.example/v2/KEY')
 * // 'no route to https://node.example'
 */
export function hideUrl(text: string, url: string): string {
  if (!URL.canParse(url)) return text.replaceAll(url, 'a malformed URL');
  const { href, origin } = new URL(url);
  return hiding(secretsOf(new URL(url)), '')(text.replaceAll(url, origin).replaceAll(href, origin));
}

/** What of a URL may be a key, longest first; words such as `v2` and `mainnet` stand in any text. */
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
  return [...whole.filter(({ length }) => length > 3), ...parts.filter(isTelling)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % sign: the text is as it is.
    return text;
  }
}

/** Resolves to what a call returns; undefined where the node answers with an error, as for what reverts. */
export function orRefused<Result>(called: Promise<Result>): Promise<Result | undefined> {
  return called.catch((error: unknown) => {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  });
}

export function quantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}

/** Thrown where a node gives no JSON-RPC reply; shows the origin of its URL alone. */
export class NodeUnreachableError extends Error {
  override readonly name = 'NodeUnreachableError';
  readonly refusal: Refusal;

  constructor(url: string, reason: string, refusal: Refusal = {}) {
    // No cause: its text may hold the URL with its key.
    super(`the node at ${originOf(url)} does not answer: ${reason}`);
    this.refusal = refusal;
  }
}

/** Thrown for an error that a node answered with; `data` is what a call reverted with, if it did. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  readonly code: number | undefined;
  readonly data: unknown;
  readonly refusal: Refusal;

  constructor(method: string, error: NodeError, upstream?: string, refusal: Refusal = {}) {
    const message = error.message ?? 'an error without a message';
    super(`${method}: ${upstream === undefined ? message : hideUrl(message, upstream)}`);
    this.code = error.code;
    this.data = error.data;
    this.refusal = refusal;
  }
}
