import { type Address, type Block, type Hash, parseAbi } from 'viem';
import type { Market } from '../market.ts';
import { MarketFileError } from '../market-file-error.ts';
import { parseMarket } from '../parse-market.ts';
import {
  createNodeClient,
  describeNodeFailure,
  type NodeClient,
  type NodeOptions,
} from './node-client.ts';
import type { PoolsFile } from './pools-file.ts';
import {
  type PoolIdentity,
  readIdentities,
  readStates,
  readTicks,
  readTokens,
  type Ticks,
} from './read-chain.ts';

/** A market that is read from a node, block by block. */
export type LiveMarket = {
  /** As of the block that was the latest when it was opened. */
  readonly market: Market;
  /** Returns the market as of the latest block, or undefined while that is the one read last. */
  readonly readNext: () => Promise<Market | undefined>;
};

const POSITION_EVENTS = parseAbi([
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
]);

/**
 * Reads the pools of a file from the node at `url`. All of a market is read at
 * one block, by its hash: no plan is made of parts of two.
 *
 * @throws {MarketFileError} if the file does not fit the chain
 * @throws {CannotReadChainError} if the node cannot be read, or is of another chain
 */
export async function openLiveMarket(
  file: PoolsFile,
  url: string,
  options: NodeOptions = {},
): Promise<LiveMarket> {
  try {
    return await readMarket(createNodeClient(url, options), file);
  } catch (error) {
    if (error instanceof MarketFileError) throw error;
    throw new CannotReadChainError(file.chainId, describeNodeFailure(error), error);
  }
}

async function readMarket(node: NodeClient, file: PoolsFile): Promise<LiveMarket> {
  const { chainId } = file;
  let last = await latestBlock(node, chainId);
  const identities = await readIdentities(node, file, last.hash);
  const tokens = await readTokens(node, file, identities, last.hash);
  const concentrated = identities.filter(({ family }) => family === 'concentrated');
  let ticks = await readTicks(node, concentrated, last.hash);

  const readAt = async (
    { number, timestamp, hash }: Block<bigint, false, 'latest'>,
    ticksThere: ReadonlyMap<string, Ticks>,
  ): Promise<Market> =>
    parseMarket({
      format: 1,
      chainId,
      name: file.name,
      block: { number: Number(number), timestamp: Number(timestamp), hash },
      usdToken: file.usdToken,
      wrappedNative: file.wrappedNative,
      tokens,
      pools: await readStates(node, identities, ticksThere, hash),
      routers: file.routers,
    });

  return {
    market: await readAt(last, ticks),
    readNext: async () => {
      const block = await latestBlock(node, chainId);
      if (block.hash === last.hash) return undefined;
      const moved = await poolsWithNewPositions(node, concentrated, last, block);
      const ticksThere = new Map([...ticks, ...(await readTicks(node, moved, block.hash))]);
      const market = await readAt(block, ticksThere);
      ticks = ticksThere;
      last = block;
      return market;
    },
  };
}

/**
 * Returns the pools whose ticks may differ between two blocks: those of which a
 * position changed, or all where the later block does not build on the earlier.
 */
async function poolsWithNewPositions(
  { client }: NodeClient,
  pools: readonly PoolIdentity[],
  from: Block<bigint, false, 'latest'>,
  to: Block<bigint, false, 'latest'>,
): Promise<readonly PoolIdentity[]> {
  if (pools.length === 0) return [];
  if (to.number <= from.number) return pools;
  if (to.parentHash !== from.hash) {
    const ancestor = await client.getBlock({ blockNumber: from.number });
    if (ancestor.hash !== from.hash) return pools;
  }
  const logs = await client.getLogs({
    address: pools.map(({ address }) => address as Address),
    events: POSITION_EVENTS,
    fromBlock: from.number + 1n,
    toBlock: to.number,
  });
  const moved = new Set(logs.map(({ address }) => address.toLowerCase()));
  return pools.filter(({ address }) => moved.has(address));
}

/** Returns the latest block; each time of the right chain, since another node may answer at the same URL. */
async function latestBlock(
  { client }: NodeClient,
  chainId: number,
): Promise<Block<bigint, false, 'latest'> & { hash: Hash }> {
  const [actual, block] = await Promise.all([
    client.getChainId(),
    client.getBlock({ blockTag: 'latest' }),
  ]);
  if (actual !== chainId) throw new WrongChainError(actual);
  return block;
}

/** Thrown when the node of a chain cannot be read. */
export class CannotReadChainError extends Error {
  override readonly name = 'CannotReadChainError';

  constructor(chainId: number, why: string, cause?: unknown) {
    super(`Cannot read chain ${chainId} from its node: ${why}.`, { cause });
  }
}

/** Thrown when a node is of another chain than it was named for. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError';

  constructor(chainId: number) {
    super(`it is a node of chain ${chainId}`);
  }
}
