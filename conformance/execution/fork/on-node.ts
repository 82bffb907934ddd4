import type { Clock } from '../../client/clock.ts';
import type { ChainState } from '../../model/chain-state.ts';
import type { Hex } from '../../model/scenario.ts';
import { AnvilNotFoundError } from '../node/find-anvil.ts';
import { readGasCap } from '../node/gas-cap.ts';
import { createRpc, quantity, type Rpc } from '../node/json-rpc.ts';
import { openNode } from '../node/node.ts';
import type { Block } from '../scenario/circumstances.ts';
import { checkCanSettle } from './check-sources.ts';
import {
  checkForkSource,
  DEFAULT_CALL_GAS,
  type Fork,
  maxBlockGasOf,
  openFork,
  type RunningSource,
  readBlock,
} from './fork.ts';

/** Index of the block parameter in each method. Calls may omit the block. */
const BLOCK_INDEX: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_simulateV1: 1,
};
const CHANGING_METHODS = /^(anvil|evm|hardhat)_|^eth_send/;

/**
 * Opens a chain at its latest block on its own node, which simulates trades and is never changed.
 * There is no copy.
 *
 * @throws {CannotSettleError} if the node cannot settle trades
 * @throws {NodeUnreachableError} if the node does not respond
 * @throws {WrongChainError} if the node serves another chain
 */
export async function openOnNode(
  source: RunningSource,
  options: { readonly blockNumber?: number; readonly clock?: Clock } = {},
): Promise<Fork> {
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
      return to;
    },
    recordState: (work) => recordOnFork(source, block, work),
    stop: async () => node.stop(),
  };
}

/**
 * Opens a chain in an Anvil of ours at its latest block. A copy is unnecessary, since simulations
 * change nothing and nobody else uses the chain.
 */
export async function openOwnChain({ chainId, rpcUrl }: RunningSource): Promise<Fork> {
  const rpc = createRpc(rpcUrl);
  const block = await readBlock(rpc);
  return {
    ...{ rpc, block },
    checkToken: async () => undefined,
    losses: () => [],
    readBlock: async () => block,
    readGasCap: () => readGasCap(rpc),
    moveTo: async () => block,
    recordState: (work) => recordOnFork({ chainId, rpcUrl }, block, work),
    stop: async () => undefined,
  };
}

async function recordOnFork(
  source: RunningSource,
  { number }: Block,
  work: (fork: Fork) => Promise<void>,
): Promise<ChainState | undefined> {
  let fork: Fork;
  try {
    fork = await openFork(source, { blockNumber: number });
  } catch (error) {
    if (error instanceof AnvilNotFoundError) return undefined;
    throw error;
  }
  return fork.recordState(work).finally(fork.stop);
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
