import { setMaxListeners } from 'node:events';
import { createRequire } from 'node:module';
import PQueue from 'p-queue';
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
  InvalidParamsRpcError,
  numberToHex,
  type PublicClient,
  parseAbi,
  parseAbiParameters,
  RpcRequestError,
} from 'viem';

/** A view function to call, declared in Solidity. */
export type Call = {
  readonly address: string;
  readonly view: string;
  readonly args?: readonly unknown[];
};

/** Fields of a block that are needed to read the chain's state at that block. */
export type BlockId = {
  readonly hash: Hash;
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  /** Set only on Arbitrum: Ethereum's block number, which contracts see as the block number. */
  readonly l1BlockNumber?: unknown;
};

/** Client of one node. */
export type NodeClient = {
  readonly client: PublicClient;
  /**
   * Executes creation code at one block and returns its output, which must begin with the number
   * and the timestamp of the block.
   *
   * @throws {NodeError} if the node executes the code at another block
   */
  readonly run: (code: Hex, block: BlockId) => Promise<Hex>;
  /**
   * Returns the results of the calls at one block, in the order of the calls; undefined for a call
   * that reverts or whose result has another type.
   */
  readonly readAll: (calls: readonly Call[], block: BlockId) => Promise<readonly unknown[]>;
};

export type NodeOptions = {
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Aborts every request, even in flight. */
  readonly signal?: AbortSignal;
};

/** A contract that makes several calls in one `eth_call`. */
export const READ_CALLS: { readonly abi: Abi; readonly bytecode: Hex } = createRequire(
  import.meta.url,
)('#fixtures/bytecode/read-calls.json');

/** Output of `READ_CALLS`: the block's number and timestamp, and the result of each call. */
export const CALL_RESULTS = parseAbiParameters([
  'uint256 blockNumber, uint256 timestamp, Result[] results',
  'struct Result { bool success; bytes data; }',
]);
const BLOCK_SEEN = parseAbiParameters('uint256 blockNumber, uint256 timestamp');

/** The output is limited to 24,576 bytes, and token names are the longest results. */
const MAX_CALLS_PER_BUNDLE = 60;
const MAX_REQUESTS_IN_FLIGHT = 8;
/** Maximum time until the last byte of a reply. */
const TIMEOUT_MS = 20_000;
/**
 * The client retries after temporary rejections, such as rate limits: after 250 ms, 500 ms, 1 s.
 */
const RETRIES = { retryCount: 5, retryDelay: 250 };

/**
 * Returns a client of the node at `url`. The client bundles calls, so that reading a block takes
 * few requests, and needs no contract on the chain.
 */
export function createNodeClient(url: string, options: NodeOptions = {}): NodeClient {
  const { fetch: send = fetch, signal } = options;
  // Prevents a warning: every request in flight listens to the signal.
  if (signal) setMaxListeners(0, signal);
  const queue = new PQueue({ concurrency: MAX_REQUESTS_IN_FLIGHT });
  const fetchFn: typeof fetch = (input, init) =>
    queue.add(() => fetchWhole(send, input, init, signal));
  const transport = http(url, { ...RETRIES, timeout: 0, maxResponseBodySize: false, fetchFn });
  const client = createPublicClient({ cacheTime: 0, transport });
  /** Parsed views, cached because reading a market takes thousands of calls to a few views. */
  const abis = new Map<string, Abi>();
  let acceptsBlockHashes = true;

  /** Executes code at a block hash or, if the node does not accept hashes, at a block number. */
  const execute = async (data: Hex, block: BlockId): Promise<Hex> => {
    const callAt = (at: Hex | { readonly blockHash: Hash }) =>
      client.request({ method: 'eth_call', params: [{ data }, at] });
    if (acceptsBlockHashes) {
      try {
        return await callAt({ blockHash: block.hash });
      } catch (error) {
        if (!(error instanceof InvalidParamsRpcError)) throw error;
        acceptsBlockHashes = false;
      }
    }
    const output = await callAt(numberToHex(block.number));
    // The call may have run on a sibling block with the same timestamp.
    const { hash } = await client.getBlock({ blockNumber: block.number });
    if (hash === block.hash) return output;
    throw new NodeError(`its block ${block.number} was replaced`);
  };

  const run = async (code: Hex, block: BlockId): Promise<Hex> => {
    const output = await execute(code, block);
    const [number, timestamp] = decodeAbiParameters(BLOCK_SEEN, output);
    const { l1BlockNumber } = block;
    const expected = typeof l1BlockNumber === 'string' ? BigInt(l1BlockNumber) : block.number;
    if (timestamp === block.timestamp && number === expected) return output;
    throw new NodeError(`it executes calls at block ${number} instead of ${expected}`);
  };

  const readBundle = async (calls: readonly Call[], block: BlockId): Promise<unknown[]> => {
    const prepared = calls.map(({ address, view, args = [] }) => {
      const abi = abis.get(view) ?? (parseAbi([view]) as Abi);
      abis.set(view, abi);
      return { abi, target: address as Address, data: encodeFunctionData({ abi, args }) };
    });
    const output = await run(encodeDeployData({ ...READ_CALLS, args: [prepared] }), block);
    const [, , results] = decodeAbiParameters(CALL_RESULTS, output);
    return prepared.map(({ abi }, i) => decodeResult(abi, results[i]));
  };

  return {
    client,
    run,
    readAll: async (calls, block) => {
      const count = Math.ceil(calls.length / MAX_CALLS_PER_BUNDLE);
      const bundles = Array.from({ length: count }, (_, i) => {
        const first = i * MAX_CALLS_PER_BUNDLE;
        return readBundle(calls.slice(first, first + MAX_CALLS_PER_BUNDLE), block);
      });
      return (await Promise.all(bundles)).flat();
    },
  };
}

function decodeResult(
  abi: Abi,
  result: { readonly success: boolean; readonly data: Hex } | undefined,
): unknown {
  try {
    return result?.success ? decodeFunctionResult({ abi, data: result.data }) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Fetches the status and the whole body. viem's own timeout would cover only the headers, and viem
 * would obey any `Retry-After` header, however long.
 */
async function fetchWhole(
  send: typeof fetch,
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const ending = new AbortController();
  const stop = () => ending.abort(new NodeError('reading was stopped'));
  const timeout = new NodeError(`it did not respond within ${TIMEOUT_MS / 1000} s`);
  const timer = setTimeout(() => ending.abort(timeout), TIMEOUT_MS);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  try {
    const response = await send(input, { ...init, signal: ending.signal });
    return new Response(await response.text(), { status: response.status });
  } catch {
    throw ending.signal.aborted ? ending.signal.reason : new NodeError('it cannot be reached');
  } finally {
    signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}

/**
 * Returns a short reason why a node could not be read. Excludes the node's URL, which may contain a
 * key.
 */
export function describeNodeFailure(error: unknown): string {
  if (!(error instanceof BaseError)) return error instanceof Error ? error.message : String(error);
  const cause = error.walk(
    (each) =>
      each instanceof NodeError ||
      each instanceof RpcRequestError ||
      each instanceof HttpRequestError,
  );
  if (cause instanceof NodeError) return cause.message;
  if (cause instanceof RpcRequestError) return `it returns error ${cause.code}`;
  if (!(cause instanceof HttpRequestError)) return error.shortMessage;
  return cause.status === undefined ? 'its reply is incomplete' : `it returns HTTP ${cause.status}`;
}

/** Thrown if a node cannot be read. */
export class NodeError extends Error {
  /** viem does not retry errors with this name. */
  override readonly name = 'AbortError';
}
