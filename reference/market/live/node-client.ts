import {
  type Abi,
  type Address,
  BaseError,
  createPublicClient,
  type Hash,
  HttpRequestError,
  http,
  type PublicClient,
  RpcRequestError,
  TimeoutError,
} from 'viem';

/** One function to call. */
export type Call = {
  readonly address: string;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args?: readonly unknown[];
};

/** Reads of one node. */
export type NodeClient = {
  readonly client: PublicClient;
  /**
   * Returns what the calls return at one block, in their order; undefined for
   * one that reverts or returns something else.
   */
  readonly readAll: (calls: readonly Call[], blockHash: Hash) => Promise<readonly unknown[]>;
};

/**
 * Calls in one `eth_call`. They are made by a constructor, and what they return
 * comes as the code that it deploys, of which 24 KiB are allowed: a tick of a
 * pool, the longest answer, takes 384 bytes of that.
 */
const CALLS_AT_ONCE = 60;
/** How long a reply may take to its last byte. */
const TIMEOUT_MS = 10_000;

/** How a node is read; everything may be left out. */
export type NodeOptions = {
  /** Sends a request; default the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Ends every request, those under way too. */
  readonly signal?: AbortSignal;
};

/**
 * Returns a client of the node at `url`. Calls go out bundled, so that a block
 * costs few requests; nothing need be deployed on the chain for it.
 */
export function createNodeClient(url: string, options: NodeOptions = {}): NodeClient {
  const client = createPublicClient({
    cacheTime: 0,
    transport: http(url, {
      batch: { batchSize: 20 },
      retryCount: 1,
      timeout: TIMEOUT_MS,
      fetchFn: (input, init) => fetchWhole(input, init, options),
    }),
  });
  const readBundle = async (
    calls: readonly Call[],
    blockHash: Hash,
  ): Promise<readonly unknown[]> => {
    const outcomes = await client.multicall({
      contracts: calls.map((call) => ({ ...call, address: call.address as Address })),
      deployless: true,
      batchSize: 0,
      blockHash,
    });
    const lost = outcomes.find(({ error }) => error instanceof BaseError && isOfNode(error));
    if (lost !== undefined) throw lost.error;
    return outcomes.map(({ result }) => result);
  };
  return {
    client,
    readAll: async (calls, blockHash) => {
      const bundles: Promise<readonly unknown[]>[] = [];
      for (let start = 0; start < calls.length; start += CALLS_AT_ONCE) {
        bundles.push(readBundle(calls.slice(start, start + CALLS_AT_ONCE), blockHash));
      }
      return (await Promise.all(bundles)).flat();
    },
  };
}

/**
 * Returns a reply once all of it is here: viem's time-out ends with what this
 * returns, and it pairs the parts of a batch with its requests by their order
 * alone. Of the headers none is kept, so that no `Retry-After` makes it wait.
 */
async function fetchWhole(
  input: string | URL | Request,
  init: RequestInit = {},
  { fetch: send = fetch, signal }: NodeOptions,
): Promise<Response> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const signals = [init.signal, signal].filter((each) => each != null);
  for (const each of signals) each.addEventListener('abort', end);
  try {
    if (signals.some(({ aborted }) => aborted)) end();
    const reply = await send(input, { ...init, signal: ending.signal });
    const text = await reply.text();
    if (reply.ok) requireAllParts(String(init.body), text);
    return new Response(text, { status: reply.status });
  } finally {
    for (const each of signals) each.removeEventListener('abort', end);
  }
}

function requireAllParts(request: string, reply: string): void {
  const idsOf = (text: string) => {
    try {
      return [JSON.parse(text)].flat().map((part: { id?: unknown }) => part.id);
    } catch (cause) {
      throw new BrokenReplyError(cause);
    }
  };
  const asked = idsOf(request);
  const answered = idsOf(reply);
  if (asked.length !== answered.length || asked.some((id) => !answered.includes(id))) {
    throw new BrokenReplyError();
  }
}

/** Returns in a few words why a node could not be read; its URL, which may hold a key, is not in them. */
export function describeNodeFailure(error: unknown): string {
  if (!(error instanceof BaseError)) return error instanceof Error ? error.message : String(error);
  const cause = error.walk((each) => each instanceof BrokenReplyError) ?? error.walk(isNodeError);
  if (cause instanceof BrokenReplyError) return cause.message;
  if (cause instanceof TimeoutError) return `it did not answer in ${TIMEOUT_MS / 1000} s`;
  if (cause instanceof HttpRequestError) {
    return cause.status === undefined ? 'it cannot be reached' : `it answers HTTP ${cause.status}`;
  }
  if (cause instanceof RpcRequestError) return `it answers error ${cause.code}`;
  return error.shortMessage;
}

function isOfNode(error: BaseError): boolean {
  return error.walk(isNodeError) !== null;
}

function isNodeError(error: unknown): boolean {
  return (
    error instanceof HttpRequestError ||
    error instanceof TimeoutError ||
    error instanceof RpcRequestError
  );
}

/** Thrown for a reply that is no JSON, or does not answer all that was asked. */
class BrokenReplyError extends Error {
  override readonly name = 'BrokenReplyError';

  constructor(cause?: unknown) {
    super('its reply is incomplete', { cause });
  }
}
