import { setMaxListeners } from 'node:events';
import { createRequire } from 'node:module';
import PQueue from 'p-queue';
import {
  type Abi,
  type Address,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hash,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem';

/** A view function to call, declared as in Solidity. */
export type Call = {
  readonly address: string;
  readonly view: string;
  readonly args?: readonly unknown[];
};

/** A block, with what contracts see of it. */
export type BlockId = {
  readonly hash: Hash;
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  /** `block.number` inside contracts, if it differs: on Arbitrum it is a block number of Ethereum. */
  readonly numberInContracts?: bigint;
};

/** Reads from one node. */
export type NodeClient = {
  readonly readChainId: () => Promise<number>;
  /** Returns the latest block, or the block with this number. */
  readonly readBlock: (number?: number) => Promise<BlockId>;
  /** Returns the present gas price in wei; undefined if the node does not report it. */
  readonly readGasPrice: () => Promise<bigint | undefined>;
  /**
   * Returns the results of the calls at one block, in their order; undefined for
   * a call that reverts or whose result has another type.
   *
   * @throws {NodeError} if the node executes a call at another block
   */
  readonly readAll: (calls: readonly Call[], block: BlockId) => Promise<readonly unknown[]>;
  /**
   * Executes creation code at one block and returns its output, whose first words
   * must be the number and the time of the block.
   *
   * @throws {NodeError} if the node executes it at another block
   */
  readonly run: (code: Hex, block: BlockId) => Promise<Hex>;
};

export type NodeOptions = {
  /** Default the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Aborts every request, including those in flight. */
  readonly signal?: AbortSignal;
};

/** Contract that makes all calls of one `eth_call`. */
export const READ_CALLS: { readonly abi: Abi; readonly bytecode: Hex } = createRequire(
  import.meta.url,
)('#fixtures/bytecode/read-calls.json');

/** Return value of `READ_CALLS`: the block that it saw, and the result of each call. */
export const CALL_RESULTS = parseAbiParameters([
  'uint256 blockNumber, uint256 timestamp, Result[] results',
  'struct Result { bool success; bytes data; }',
]);

const BLOCK_SEEN = parseAbiParameters('uint256 blockNumber, uint256 timestamp');

/** Maximum calls in one `eth_call`, whose output is at most 24,576 bytes; the longest result is a token's name. */
const MAX_CALLS_PER_BUNDLE = 60;
const MAX_REQUESTS_IN_FLIGHT = 8;
/** Maximum time until the last byte of a reply, including waits for a rate limit. */
const TIMEOUT_MS = 20_000;
/** Waits after each reply that says that the rate limit is exceeded. */
const RATE_LIMIT_WAITS_MS = [250, 500, 1_000, 2_000, 4_000];
const RATE_LIMIT_CODES: ReadonlySet<unknown> = new Set([429, -32_005]);
const METHOD_NOT_FOUND_CODE = -32_601;
const INVALID_PARAMS_CODE = -32_602;

/**
 * Returns a client of the node at `url`. It bundles calls, so that a block costs
 * few requests, and needs no contract on the chain.
 */
export function createNodeClient(url: string, options: NodeOptions = {}): NodeClient {
  // Every request in flight listens to the signal.
  if (options.signal) setMaxListeners(0, options.signal);
  const queue = new PQueue({ concurrency: MAX_REQUESTS_IN_FLIGHT });
  const request = (method: string, ...params: readonly unknown[]) =>
    queue.add(() => post(url, { jsonrpc: '2.0', id: 1, method, params }, options));
  /** A market is thousands of calls to a few views: each is parsed once. */
  const abis = new Map<string, Abi>();
  let acceptsBlockHashes = true;

  const readBlock = async (number?: number | bigint): Promise<BlockId> => {
    const tag = number === undefined ? 'latest' : numberToHex(number);
    return parseBlock((await request('eth_getBlockByNumber', tag, false)) as RpcBlock | null);
  };

  /** Executes creation code at a block, by number if the node does not accept hashes. */
  const execute = async (data: Hex, block: BlockId): Promise<Hex> => {
    if (acceptsBlockHashes) {
      try {
        return (await request('eth_call', { data }, { blockHash: block.hash })) as Hex;
      } catch (error) {
        if (!(error instanceof NodeError) || error.code !== INVALID_PARAMS_CODE) throw error;
        acceptsBlockHashes = false;
      }
    }
    const output = (await request('eth_call', { data }, numberToHex(block.number))) as Hex;
    // The call may have run on a sibling with the same timestamp.
    if ((await readBlock(block.number)).hash === block.hash) return output;
    throw new NodeError(`its block ${block.number} was replaced`);
  };

  const run = async (code: Hex, block: BlockId): Promise<Hex> => {
    const output = await execute(code, block);
    const [number, timestamp] = decodeAbiParameters(BLOCK_SEEN, output);
    if (timestamp === block.timestamp && number === (block.numberInContracts ?? block.number)) {
      return output;
    }
    throw new NodeError(`it executes calls at block ${number} instead of ${block.number}`);
  };

  const readBundle = async (calls: readonly Call[], block: BlockId): Promise<unknown[]> => {
    const withAbi = calls.map(({ address, view, args = [] }) => {
      const abi = abis.get(view) ?? (parseAbi([view]) as Abi);
      abis.set(view, abi);
      return { abi, target: address as Address, data: encodeFunctionData({ abi, args }) };
    });
    const output = await run(encodeDeployData({ ...READ_CALLS, args: [withAbi] }), block);
    const [, , results] = decodeAbiParameters(CALL_RESULTS, output);
    return withAbi.map(({ abi }, i) => decodeResult(abi, results[i]));
  };

  return {
    readChainId: async () => Number(await request('eth_chainId')),
    readBlock,
    readGasPrice: async () => {
      try {
        return BigInt((await request('eth_gasPrice')) as Hex);
      } catch (error) {
        if (error instanceof NodeError && error.code === METHOD_NOT_FOUND_CODE) return undefined;
        throw error;
      }
    },
    readAll: async (calls, block) => {
      const count = Math.ceil(calls.length / MAX_CALLS_PER_BUNDLE);
      const bundles = Array.from({ length: count }, (_, i) => {
        const first = i * MAX_CALLS_PER_BUNDLE;
        return readBundle(calls.slice(first, first + MAX_CALLS_PER_BUNDLE), block);
      });
      return (await Promise.all(bundles)).flat();
    },
    run,
  };
}

type RpcBlock = {
  readonly hash: Hash;
  readonly number: Hex;
  readonly timestamp: Hex;
  /** Only on Arbitrum. */
  readonly l1BlockNumber?: Hex;
};

function parseBlock(block: RpcBlock | null): BlockId {
  if (block === null) throw new NodeError('it does not have the block');
  const { hash, number, timestamp, l1BlockNumber } = block;
  return {
    hash,
    number: BigInt(number),
    timestamp: BigInt(timestamp),
    ...(l1BlockNumber && { numberInContracts: BigInt(l1BlockNumber) }),
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

/** Posts one JSON-RPC call and returns its result; retries while the rate limit is exceeded, and once after a failed connection. */
async function post(
  url: string,
  call: unknown,
  { fetch: send = fetch, signal }: NodeOptions,
): Promise<unknown> {
  const ending = new AbortController();
  const stop = () => ending.abort(new NodeError('reading was stopped'));
  const timeout = new NodeError(`it did not respond within ${TIMEOUT_MS / 1000} s`);
  const timer = setTimeout(() => ending.abort(timeout), TIMEOUT_MS);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(call), signal: ending.signal };
  try {
    for (let attempt = 0; ; attempt++) {
      const waitMs = RATE_LIMIT_WAITS_MS[attempt];
      try {
        const response = await send(url, init);
        return resultOf(response.status, await response.text());
      } catch (error) {
        ending.signal.throwIfAborted();
        const isRateLimited = error instanceof NodeError && RATE_LIMIT_CODES.has(error.code);
        if (error instanceof NodeError && (!isRateLimited || waitMs === undefined)) throw error;
        if (!isRateLimited && attempt > 0) throw new NodeError('it cannot be reached');
      }
      await new Promise<void>((resolve) => {
        setTimeout(resolve, waitMs).unref();
        ending.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      ending.signal.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}

function resultOf(status: number, text: string): unknown {
  type Reply = { readonly result?: unknown; readonly error?: { readonly code?: unknown } };
  let reply: Reply | null | undefined;
  try {
    reply = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (reply?.error) throw new NodeError(`it returns error ${reply.error.code}`, reply.error.code);
  if (status < 200 || status > 299) throw new NodeError(`it returns HTTP ${status}`, status);
  if (reply?.result === undefined) throw new NodeError('its reply is incomplete');
  return reply.result;
}

/** Thrown if a node cannot be read. The message does not contain the URL, which may hold a key. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  /** JSON-RPC error code or HTTP status that the node returned, if it did. */
  readonly code: unknown;

  constructor(message: string, code?: unknown) {
    super(message);
    this.code = code;
  }
}
