import type { Clock } from '../../client/clock.ts';
import type { ChainState } from '../../model/chain-state.ts';
import type { Hex } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { type AnvilNode, startAnvil } from '../node/anvil.ts';
import { AnvilNotFoundError } from '../node/find-anvil.ts';
import { readGasCap } from '../node/gas-cap.ts';
import { createRpc, NodeUnreachableError, quantity, type Rpc } from '../node/json-rpc.ts';
import { type ChainNode, openNode } from '../node/node.ts';
import { startNodeRelay } from '../node/node-relay.ts';
import { once, type Results } from '../node/once.ts';
import { emptyState } from '../node/saved-state.ts';
import type { Block } from '../scenario/circumstances.ts';
import { balanceOf, UNUSED_ACCOUNT } from '../scenario/token-reads.ts';
import type { StateSource } from '../settle/simulate.ts';
import { checkCanSettle } from './check-sources.ts';
import {
  checkForkSource,
  DEFAULT_CALL_GAS,
  ForkError,
  maxBlockGasOf,
  type RunningSource,
  readBlock,
} from './source.ts';

/**
 * A chain at one block: either a copy in Anvil, so that changes do not affect the chain, or the
 * chain itself on its node.
 */
export type Place = StateSource & {
  /**
   * Calls the chain. Throws `NodeLossError` if the call needs state that the node did not return.
   */
  readonly rpc: Rpc;
  readonly block: Block;
  /** Returns the latest block of the chain itself, or the block with the given number. */
  readonly readBlock: (blockNumber?: number) => Promise<Block>;
  /** Returns the maximum gas limit of a transaction on the chain, if its node reports one. */
  readonly readGasCap: () => Promise<bigint | undefined>;
  /** Moves to another block, and discards all changes. */
  readonly moveTo: (block: Block) => Promise<void>;
  /**
   * Copies the block again, runs the work on the copy, and returns the state that it read. Returns
   * undefined if the block cannot be copied.
   */
  readonly recordState: (
    work: (copy: StateSource) => Promise<void>,
  ) => Promise<ChainState | undefined>;
  /**
   * Throws `NodeLossError` if a token reports balances on the chain but not in its copy, because
   * Anvil cannot run the token's code.
   */
  readonly checkToken: (token: Address) => Promise<void>;
  /** Faults of the node so far, one sentence for each. */
  readonly losses: () => readonly string[];
  /** Stops the copy. May be called twice. */
  readonly stop: () => Promise<void>;
};

export type PlaceOptions = {
  /** Block of the chain. Default: the latest. */
  readonly blockNumber?: number;
  /** Clock for the pauses before retries. Default: the system's clock. */
  readonly clock?: Clock;
};

/**
 * Opens the place where plans of a chain are settled: its own node if `settleOn` is `node`, or a
 * chain of ours; otherwise a copy in Anvil.
 *
 * @throws {AnvilNotFoundError} if Anvil is needed and not installed
 * @throws {NodeUnreachableError} if the node does not respond
 * @throws {WrongChainError} if the node serves another chain
 * @throws {AnvilStartError} if Anvil cannot fork from the node
 * @throws {CannotSettleError} if the node must settle plans and cannot
 */
export function openPlace(source: RunningSource, options: PlaceOptions): Promise<Place> {
  if (source.settleOn === 'node') return openOnNode(source, options);
  return source.settleOn === undefined && source.isPrivate === true
    ? openOwnChain(source)
    : openCopy(source, options);
}

/** Coinbase of blocks on the copy. As on a real chain, the account exists. */
const COINBASE: Address = '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5';

async function openCopy(source: RunningSource, options: PlaceOptions): Promise<Place> {
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
    const moveTo = async (to: Block): Promise<void> => {
      relay.forkAt(to.number);
      const forking = { jsonRpcUrl: relay.url, blockNumber: to.number };
      await rpc('anvil_reset', [{ forking }]);
      await rpc('anvil_setCoinbase', [COINBASE]);
      block = to;
    };
    const copy: Place = {
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
          await work(copy);
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
    return copy;
  } catch (error) {
    node.stop();
    await relay.stop();
    throw node.failureIn(error);
  }
}

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

function createTokenCheck(rpc: Rpc, node: ChainNode): Place['checkToken'] {
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

/** Index of the block parameter in each method. Calls may omit the block. */
const BLOCK_INDEX: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_simulateV1: 1,
};
const CHANGING_METHODS = /^(anvil|evm|hardhat)_|^eth_send/;

/** Opens a chain on its own node, which simulates trades and is never changed. There is no copy. */
async function openOnNode(source: RunningSource, options: PlaceOptions): Promise<Place> {
  const { rpcUrl } = source;
  await checkForkSource(source);
  await checkCanSettle(source, options);
  const node = openNode(rpcUrl, options);
  let block = await readBlock(node.rpc, options.blockNumber);
  return {
    rpc: atBlock(node.rpc, () => block),
    checkToken: async () => undefined,
    losses: node.losses,
    get block() {
      return block;
    },
    get maxBlockGas() {
      return maxBlockGasOf(block);
    },
    readBlock: (blockNumber) => readBlock(node.rpc, blockNumber),
    readGasCap: () => readGasCap(node.rpc),
    moveTo: async (to) => {
      block = to;
    },
    recordState: (work) => recordOnCopy(source, block, work),
    stop: async () => node.stop(),
  };
}

/**
 * Opens a chain in an Anvil of ours at its latest block. A copy is unnecessary, since simulations
 * change nothing and nobody else uses the chain.
 */
async function openOwnChain(source: RunningSource): Promise<Place> {
  const { rpcUrl } = source;
  const rpc = createRpc(rpcUrl);
  const block = await readBlock(rpc);
  return {
    rpc,
    block,
    checkToken: async () => undefined,
    losses: () => [],
    readBlock: async () => block,
    readGasCap: () => readGasCap(rpc),
    moveTo: async () => undefined,
    recordState: (work) => recordOnCopy(source, block, work),
    stop: async () => undefined,
  };
}

async function recordOnCopy(
  source: RunningSource,
  { number }: Block,
  work: (copy: StateSource) => Promise<void>,
): Promise<ChainState | undefined> {
  let copy: Place;
  try {
    copy = await openCopy(source, { blockNumber: number });
  } catch (error) {
    if (error instanceof AnvilNotFoundError) return undefined;
    throw error;
  }
  return copy.recordState(work).finally(copy.stop);
}

function atBlock(rpc: Rpc, blockNow: () => Block): Rpc {
  return async <Result>(method: string, params: readonly unknown[] = []) => {
    if (CHANGING_METHODS.test(method)) throw new TypeError(`${method} would change the node`);
    const number = quantity(blockNow().number);
    if (method === 'eth_blockNumber') return number as Result;
    const pinned = params.map((each) => (each === 'latest' ? number : each));
    const index = BLOCK_INDEX[method];
    if (index !== undefined && pinned.length === index) pinned.push(number);
    if (method === 'eth_call') pinned[0] = withMaxGas(pinned[0] as { readonly gas?: Hex });
    return rpc<Result>(method, pinned);
  };
}

/** Geth lowers the gas of a call to its maximum; reth rejects the call. */
function withMaxGas(call: { readonly gas?: Hex }) {
  const isMore = call.gas !== undefined && BigInt(call.gas) > DEFAULT_CALL_GAS;
  return isMore ? { ...call, gas: quantity(DEFAULT_CALL_GAS) } : call;
}
