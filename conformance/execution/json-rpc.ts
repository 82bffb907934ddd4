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
  const { timeoutMs = 60_000, fetch: send = fetch, upstream } = options;
  let id = 0;
  return async <Result>(method: string, params: readonly unknown[] = []) => {
    id += 1;
    const reply = await readReply(url, async () => {
      const response = await send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      if (!text.startsWith('{')) throw new Error(`HTTP status ${response.status} without JSON`);
      return JSON.parse(text) as RpcReply;
    });
    if (reply.error !== undefined) throw new JsonRpcError(method, reply.error, upstream);
    if (reply.result === undefined) {
      throw new NodeUnreachableError(url, 'its reply has no result');
    }
    return reply.result as Result;
  };
}

type RpcReply = {
  readonly result?: unknown;
  readonly error?: {
    readonly code?: number;
    readonly message?: string;
    readonly data?: unknown;
  };
};

async function readReply(url: string, send: () => Promise<RpcReply>): Promise<RpcReply> {
  try {
    return await send();
  } catch (cause) {
    throw new NodeUnreachableError(url, reasonOf(cause));
  }
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
 * URL is spelled in it.
 *
 * @example
 * hideUrl('no route to https://node.example/v2/KEY', 'https://node.example/v2/KEY')
 * // 'no route to https://node.example'
 */
export function hideUrl(text: string, url: string): string {
  if (!URL.canParse(url)) return text.replaceAll(url, 'a malformed URL');
  const { href, origin, pathname, search, username, password } = new URL(url);
  const secrets = [pathname + search, pathname, search, username, password];
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce(
      (hidden, secret) => hidden.replaceAll(secret, ''),
      text.replaceAll(url, origin).replaceAll(href, origin),
    );
}

export function quantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}

/** Thrown where a node gives no JSON-RPC reply; shows the origin of its URL alone. */
export class NodeUnreachableError extends Error {
  override readonly name = 'NodeUnreachableError';

  constructor(url: string, reason: string) {
    // No cause: its text may hold the URL with its key.
    super(`the node at ${originOf(url)} does not answer: ${reason}`);
  }
}

/** Thrown for an error that a node answered with; `data` is what a call reverted with, if it did. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  readonly data: unknown;

  constructor(method: string, error: NonNullable<RpcReply['error']>, upstream?: string) {
    const message = error.message ?? 'an error without a message';
    super(`${method}: ${upstream === undefined ? message : hideUrl(message, upstream)}`);
    this.data = error.data;
  }
}
