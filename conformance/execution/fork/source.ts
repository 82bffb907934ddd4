import { messageOf } from '../../contract/message-of.ts';
import type { Address } from '../../model/trade-request.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import { AnvilStartError } from '../node/anvil.ts';
import { AnvilNotFoundError } from '../node/find-anvil.ts';
import {
  createRpc,
  JsonRpcError,
  NodeUnreachableError,
  originOf,
  quantity,
  type Rpc,
} from '../node/json-rpc.ts';
import {
  lossIfRejected,
  NodeLossError,
  NodeRejectionError,
  rejectionOf,
} from '../node/node-losses.ts';
import type { Header } from '../node/reply-schemas.ts';
import { type Block, BUILDERS } from '../scenario/circumstances.ts';

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
    const reason = messageOf(cause);
    throw new ForkError(`chain ${chainId} could not be started: ${reason}`, { cause });
  }
}

const DEFAULT_BASE_FEE_WEI = 1_000_000_000n;
const DEFAULT_GAS_LIMIT = 60_000_000n;
/** Maximum time for the first reply of a node. */
export const PROBE_TIMEOUT_MS = 15_000;

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
  const { number: height, timestamp, hash, baseFeePerGas, gasLimit, miner } = block;
  const [fee, limit] = [BigInt(baseFeePerGas ?? 0), BigInt(gasLimit ?? 0)];
  return {
    number: Number(height),
    timestamp: Number(timestamp),
    hash,
    baseFeePerGas: fee === 0n ? DEFAULT_BASE_FEE_WEI : fee,
    gasLimit: limit === 0n ? DEFAULT_GAS_LIMIT : limit,
    reportsGasLimit: limit !== 0n,
    coinbases: BigInt(miner ?? 0) === 0n ? BUILDERS : [miner?.toLowerCase() as Address],
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
