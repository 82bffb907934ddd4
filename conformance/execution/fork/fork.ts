import type { Clock } from '../../client/clock.ts';
import type { ChainState } from '../../model/chain-state.ts';
import type { Address } from '../../model/trade-request.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import { type AnvilNode, AnvilStartError, startAnvil } from '../node/anvil.ts';
import { AnvilNotFoundError } from '../node/find-anvil.ts';
import { readGasCap } from '../node/gas-cap.ts';
import {
  createRpc,
  JsonRpcError,
  NodeUnreachableError,
  originOf,
  quantity,
  type Rpc,
} from '../node/json-rpc.ts';
import { type ChainNode, openNode } from '../node/node.ts';
import {
  lossIfRejected,
  NodeLossError,
  NodeRejectionError,
  rejectionOf,
} from '../node/node-losses.ts';
import { startNodeRelay } from '../node/node-relay.ts';
import { once, type Results } from '../node/once.ts';
import type { Header } from '../node/reply-schemas.ts';
import { emptyState } from '../node/saved-state.ts';
import type { Block } from '../scenario/circumstances.ts';
import { balanceOf, UNUSED_ACCOUNT } from '../scenario/token-reads.ts';

export type RunningSource = ForkSource & { readonly rpcUrl: string };

/**
 * Starts the node of a source if necessary, and returns the source with the URL of that node.
 *
 * @throws {ForkError} if the node cannot be started
 */
export async function startSource(source: ForkSource): Promise<RunningSource> {
  const { chainId, rpcUrl } = source;
  if (typeof rpcUrl === 'string') return { ...source, rpcUrl };
  try {
    return { ...source, rpcUrl: await rpcUrl() };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ForkError(`chain ${chainId} could not be started: ${reason}`, { cause });
  }
}

/**
 * A chain at one block: either a copy in Anvil, so that changes do not affect the chain, or the
 * chain itself on its node.
 */
export type Fork = {
  /**
   * Calls the fork. Throws `NodeLossError` if the call needs state that the node did not return.
   */
  readonly rpc: Rpc;
  /** The forked block. */
  readonly block: Block;
  /** Maximum gas of a simulated block; undefined if there is no limit. */
  readonly maxBlockGas?: bigint;
  /** Returns the latest block of the chain itself, or the block with the given number. */
  readonly readBlock: (blockNumber?: number) => Promise<Block>;
  /** Returns the maximum gas limit of a transaction on the chain, if its node reports one. */
  readonly readGasCap: () => Promise<bigint | undefined>;
  /** Moves the fork to another block, and discards the fork's changes. */
  readonly moveTo: (block: Block) => Promise<Block>;
  /**
   * Copies the block again, runs the work on the copy, and returns the state that it read. Returns
   * undefined if the block cannot be copied.
   */
  readonly recordState: (work: (copy: Fork) => Promise<void>) => Promise<ChainState | undefined>;
  /**
   * Throws `NodeLossError` if a token reports balances on the chain but not on the fork, because
   * Anvil cannot run the token's code.
   */
  readonly checkToken: (token: Address) => Promise<void>;
  /** Faults of the node so far, one sentence for each. */
  readonly losses: () => readonly string[];
  /** Stops the copy. May be called twice. */
  readonly stop: () => Promise<void>;
};

/**
 * Returns a function that calls the node. Once the node has ended, calls fail with the reason for
 * its end.
 */
function rejectingOnceEnded({ url, whyEnded }: AnvilNode): Rpc {
  const rpc = createRpc(url);
  return async <Result>(method: string, params?: readonly unknown[]): Promise<Result> => {
    try {
      return await rpc<Result>(method, params);
    } catch (error) {
      if (!(error instanceof NodeUnreachableError)) throw error;
      const why = await whyEnded();
      throw why === undefined ? error : new ForkError(why);
    }
  };
}

const DEFAULT_BASE_FEE_WEI = 1_000_000_000n;
const USUAL_GAS_LIMIT = 60_000_000n;
/** Coinbase of blocks on the copy. As on a real chain, the account exists. */
const COINBASE: Address = '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5';
/** Maximum time for the first reply of a node. */
export const PROBE_TIMEOUT_MS = 15_000;

/**
 * Forks a chain at its latest block, or at `blockNumber`.
 *
 * @throws {AnvilNotFoundError} if Anvil is not installed
 * @throws {NodeUnreachableError} if the node does not respond
 * @throws {WrongChainError} if the node serves another chain
 * @throws {AnvilStartError} if Anvil cannot fork from the node
 * @example
 * const fork = await openFork({ chainId: 1, rpcUrl: 'https://node.example/v2/KEY' });
 * await fork.rpc('eth_blockNumber') // '0x14a3f50'
 * await fork.stop();
 */
export async function openFork(
  source: RunningSource,
  options: { readonly blockNumber?: number; readonly clock?: Clock } = {},
): Promise<Fork> {
  const { chainId, rpcUrl } = source;
  await checkForkSource(source);
  const node = openNode(rpcUrl, options);
  const relay = await startNodeRelay(node);
  try {
    let block = await readBlock(node.rpc, options.blockNumber);
    relay.forkAt(block.number);
    const anvil = await startAnvil({
      chainId,
      fork: { url: relay.url, blockNumber: block.number },
    });
    const rpc = node.attributing(rejectingOnceEnded(anvil));
    await rpc('anvil_setCoinbase', [COINBASE]);
    const moveTo = async (to: Block): Promise<Block> => {
      relay.forkAt(to.number);
      const forking = { jsonRpcUrl: relay.url, blockNumber: to.number };
      await rpc('anvil_reset', [{ forking }]);
      await rpc('anvil_setCoinbase', [COINBASE]);
      block = to;
      return to;
    };
    const fork: Fork = {
      rpc,
      checkToken: createTokenCheck(rpc, node),
      losses: node.losses,
      get block() {
        return block;
      },
      readBlock: (blockNumber) => readBlock(node.rpc, blockNumber),
      readGasCap: () => readGasCap(node.rpc),
      moveTo,
      recordState: async (work) => {
        const state = emptyState(chainId);
        relay.noteIn(state);
        try {
          await moveTo(block);
          await work(fork);
        } finally {
          relay.noteIn(undefined);
        }
        return state;
      },
      stop: async () => {
        await anvil.stop();
        node.stop();
        await relay.stop();
      },
    };
    return fork;
  } catch (error) {
    node.stop();
    await relay.stop();
    throw node.failureIn(error);
  }
}

function createTokenCheck(rpc: Rpc, node: ChainNode): Fork['checkToken'] {
  const foreign: Results = new Map();
  const reports = async (asked: Rpc, token: Address) =>
    (await balanceOf(asked, token, UNUSED_ACCOUNT).catch(() => undefined)) !== undefined;
  return async (token) => {
    const isForeign = await once(
      foreign,
      token,
      async () => !(await reports(rpc, token)) && (await reports(node.rpc, token)),
    );
    if (isForeign)
      throw node.lose(
        'serves a chain whose contracts Anvil does not run as the chain does: a token that reports a balance there reports none on a fork',
      );
  };
}

/**
 * Checks that a node responds and serves the given chain.
 *
 * @throws {NodeUnreachableError} if it does not respond
 * @throws {NodeRejectionError} if it rejects calls, for example because its quota is spent
 * @throws {WrongChainError} if it serves another chain
 */
export async function checkForkSource(
  { chainId, rpcUrl }: RunningSource,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<void> {
  const rpc = createRpc(rpcUrl, { timeoutMs });
  const served = Number(
    await rpc<string>('eth_chainId').catch((error: unknown) => {
      const why = rejectionOf(error);
      if (why !== undefined) throw new NodeRejectionError(why, originOf(rpcUrl));
      throw lossIfRejected(error, originOf(rpcUrl));
    }),
  );
  if (served !== chainId) throw new WrongChainError(rpcUrl, chainId, served);
}

/** Geth and reth allow this gas for calls by default, even if the chain's blocks have less. */
export const DEFAULT_CALL_GAS = 50_000_000n;

/** Returns the maximum gas of a block that nodes simulate after the given block. */
export function maxBlockGasOf({ gasLimit }: Block): bigint {
  return gasLimit > DEFAULT_CALL_GAS ? gasLimit : DEFAULT_CALL_GAS;
}

/** Returns the latest block of the forked chain, or the block with the given number. */
export async function readBlock(rpc: Rpc, number?: number): Promise<Block> {
  const tag = number === undefined ? 'latest' : quantity(number);
  const block = await rpc<Header | null>('eth_getBlockByNumber', [tag, false]).catch((error) => {
    throw lossIfRejected(error);
  });
  if (block === null) {
    throw new ForkError(`the node does not have block ${tag}: an archive node may be required`);
  }
  const { number: height, timestamp, hash, baseFeePerGas, gasLimit } = block;
  const [fee, limit] = [BigInt(baseFeePerGas ?? 0), BigInt(gasLimit ?? 0)];
  return {
    number: Number(height),
    timestamp: Number(timestamp),
    hash,
    baseFeePerGas: fee === 0n ? DEFAULT_BASE_FEE_WEI : fee,
    gasLimit: limit === 0n ? USUAL_GAS_LIMIT : limit,
    reportsGasLimit: limit !== 0n,
  };
}

/** A chain cannot be forked at a block on which plans can be settled. */
export class ForkError extends Error {
  override readonly name = 'ForkError';
}

/** A node serves a chain other than the given one. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError';

  constructor(rpcUrl: string, expected: number, served: number) {
    super(`the node at ${originOf(rpcUrl)} serves chain ${served}, not chain ${expected}`);
  }
}

/**
 * A node cannot settle trades on its own chain. The message shows only the origin of the node's
 * URL.
 */
export class CannotSettleError extends Error {
  override readonly name = 'CannotSettleError';
  readonly why: string;

  constructor(rpcUrl: string, why: string) {
    super(`the node at ${originOf(rpcUrl)} cannot settle plans: ${why}; omit --settle-on node`);
    this.why = why;
  }
}

/**
 * Returns whether an error means that a chain cannot be forked, rather than a fault of this
 * program.
 */
export function isForkError(error: unknown): error is Error {
  return FORK_ERRORS.some((kind) => error instanceof kind);
}

const FORK_ERRORS = [
  AnvilNotFoundError,
  AnvilStartError,
  CannotSettleError,
  ForkError,
  JsonRpcError,
  NodeLossError,
  NodeRejectionError,
  NodeUnreachableError,
  WrongChainError,
];
