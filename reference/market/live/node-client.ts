import { createRequire } from 'node:module';
import {
  type Abi,
  type Address,
  BaseError,
  createPublicClient,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hash,
  type Hex,
  HttpRequestError,
  http,
  type PublicClient,
  parseAbiParameters,
  RpcRequestError,
} from 'viem';

/** One function to call. */
export type Call = {
  readonly address: string;
  /** Of this function alone. */
  readonly abi: Abi;
  readonly selector: Hex;
  readonly args?: readonly unknown[];
};

/** A block, as far as a read at it needs to know it. */
export type BlockId = {
  readonly hash: Hash;
  readonly number: bigint;
  /** In Unix seconds. */
  readonly timestamp: bigint;
};

/** Reads of one node. */
export type NodeClient = {
  readonly client: PublicClient;
  /**
   * Returns what the calls return at one block, in their order; undefined for
   * one that reverts or returns something else. A result that is of another
   * block is an error, whatever the node takes it for.
   */
  readonly readAll: (calls: readonly Call[], block: BlockId) => Promise<readonly unknown[]>;
};

/** What makes the calls of one `eth_call`: `ReadCalls.sol`. */
export const READ_CALLS: { readonly abi: Abi; readonly bytecode: Hex } = createRequire(
  import.meta.url,
)('#fixtures/bytecode/read-calls.json');

/** What it returns: the number and the time of the block, and what each call did. */
export const CALL_RESULTS = parseAbiParameters([
  'uint256 blockNumber, uint256 timestamp, Result[] results',
  'struct Result { bool success; bytes data; }',
]);

/** Calls in one `eth_call`, which may return 24 KiB: a tick of a pool, the longest answer, takes 384 bytes. */
const CALLS_AT_ONCE = 60;
/** How long a reply may take to its last byte, waits for a node that limits the rate of calls included. */
const TIMEOUT_MS = 20_000;
const LIMIT_WAITS_MS = [250, 500, 1_000, 2_000, 4_000];
const TOO_MANY_REQUESTS = 429;
/** How a node, or what stands before it, refuses a batch, or one as long. */
const BATCH_REFUSALS: ReadonlySet<number> = new Set([400, 405, 413, 415, 422, 501]);

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
      timeout: 0,
      maxResponseBodySize: false,
      fetchFn: createFetch(options),
    }),
  });
  const readBundle = async (
    calls: readonly Call[],
    block: BlockId,
  ): Promise<readonly unknown[]> => {
    const args = [
      calls.map(({ address, abi, selector, args }) => ({
        target: address as Address,
        data: encodeFunctionData({ abi, functionName: selector, args: args ?? [] }),
      })),
    ];
    const code = encodeDeployData({ ...READ_CALLS, args });
    const { data = '0x' } = await client.call({ data: code, blockHash: block.hash });
    const [number, timestamp, results] = decodeAbiParameters(CALL_RESULTS, data);
    if (timestamp !== block.timestamp || number !== numberInside(block)) {
      throw new WrongBlockError(number);
    }
    return calls.map((call, i) => resultOf(call, results[i]));
  };
  return {
    client,
    readAll: async (calls, block) => {
      const bundles: Promise<readonly unknown[]>[] = [];
      for (let start = 0; start < calls.length; start += CALLS_AT_ONCE) {
        bundles.push(readBundle(calls.slice(start, start + CALLS_AT_ONCE), block));
      }
      return (await Promise.all(bundles)).flat();
    },
  };
}

/** Returns the number that contracts see of a block: on Arbitrum that of Ethereum's. */
function numberInside(block: BlockId & { readonly l1BlockNumber?: unknown }): bigint {
  return typeof block.l1BlockNumber === 'string' ? BigInt(block.l1BlockNumber) : block.number;
}

function resultOf(
  { abi }: Call,
  result: { readonly success: boolean; readonly data: Hex } | undefined,
): unknown {
  if (!result?.success) return undefined;
  try {
    return decodeFunctionResult({ abi, data: result.data });
  } catch {
    return undefined; // something else than the function returns
  }
}

type WholeReply = { readonly status: number; readonly text: string };

/**
 * Returns what fetches a reply once all of it is here, however much that is: the logs of a
 * block may be many. viem's own time-out would end with the headers, and it pairs the parts of a batch with its requests by their order
 * alone. Of the headers none is kept, so that no `Retry-After` makes it wait. A node that takes no
 * batches is asked for their parts one by one from then on.
 */
function createFetch({ fetch: send = fetch, signal }: NodeOptions): typeof fetch {
  let takesBatches = true;
  return async (input, init = {}) => {
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(() => ending.abort(new SilentNodeError()), TIMEOUT_MS);
    signal?.addEventListener('abort', end);
    const ask = (body: string) =>
      askPatiently(() => send(input, { ...init, body, signal: ending.signal }), ending.signal);
    try {
      if (signal?.aborted) end();
      const body = String(init.body);
      const together = takesBatches ? await ask(body) : undefined;
      const isAnswered = together !== undefined && !isBatchRefused(together);
      const reply = isAnswered ? together : await askEach(ask, [JSON.parse(body)].flat());
      if (!isAnswered && isOk(reply)) takesBatches = false;
      if (isOk(reply)) requireAllParts(body, reply.text);
      return new Response(reply.text, { status: reply.status });
    } finally {
      signal?.removeEventListener('abort', end);
      clearTimeout(timer);
    }
  };
}

/** Sends a request, and again where the node limits the rate of calls, ever later. */
async function askPatiently(
  send: () => Promise<Response>,
  signal: AbortSignal,
): Promise<WholeReply> {
  for (let refusals = 0; ; refusals += 1) {
    const reply = await send();
    const text = await reply.text();
    const waitMs = LIMIT_WAITS_MS[refusals];
    if (reply.status !== TOO_MANY_REQUESTS || waitMs === undefined) {
      return { status: reply.status, text };
    }
    await new Promise<void>((resolve) => {
      setTimeout(resolve, waitMs).unref();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** Asks for the parts of a batch one by one; the first that is refused stands for all. */
async function askEach(
  ask: (body: string) => Promise<WholeReply>,
  parts: readonly unknown[],
): Promise<WholeReply> {
  const texts: string[] = [];
  for (const part of parts) {
    const reply = await ask(JSON.stringify(part));
    if (!isOk(reply)) return reply;
    texts.push(reply.text);
  }
  return { status: 200, text: `[${texts.join()}]` };
}

function isOk({ status }: WholeReply): boolean {
  return status >= 200 && status < 300;
}

/** A batch is answered by a list; one error for all of it says that it was not taken. */
function isBatchRefused(reply: WholeReply): boolean {
  return isOk(reply) ? reply.text.trimStart().startsWith('{') : BATCH_REFUSALS.has(reply.status);
}

function requireAllParts(request: string, reply: string): void {
  const idsOf = (text: string) => {
    try {
      return [JSON.parse(text)].flat().map((part: { id?: unknown }) => String(part.id));
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
  if (cause instanceof HttpRequestError) {
    return cause.status === undefined ? 'it cannot be reached' : `it answers HTTP ${cause.status}`;
  }
  if (cause instanceof RpcRequestError) return `it answers error ${cause.code}`;
  return error.shortMessage;
}

function isNodeError(error: unknown): boolean {
  return error instanceof HttpRequestError || error instanceof RpcRequestError;
}

/** Thrown for a reply that does not end in time; its name tells viem not to ask again. */
class SilentNodeError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super(`it did not answer in ${TIMEOUT_MS / 1000} s`);
  }
}

/** Thrown for a reply that is no JSON, or does not answer all that was asked. */
class BrokenReplyError extends Error {
  override readonly name = 'BrokenReplyError';

  constructor(cause?: unknown) {
    super('its reply is incomplete', { cause });
  }
}

/** Thrown for a result that is not of the block that was asked for. */
class WrongBlockError extends Error {
  override readonly name = 'WrongBlockError';

  constructor(number: bigint) {
    super(`it answers as of block ${number} for another`);
  }
}
