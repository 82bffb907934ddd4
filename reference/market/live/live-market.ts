import { isDeepStrictEqual } from 'node:util';
import { MarketFileError } from '../../planner/domain/market-file-error.ts';
import { tokensOf } from '../../planner/pools/pool.ts';
import type { Market } from '../market.ts';
import { parseMarket } from '../parse-market.ts';
import {
  createNodeClient,
  describeNodeFailure,
  type NodeClient,
  type NodeOptions,
} from './node-client.ts';
import type { PoolsFile } from './pools-file.ts';
import { poolsWithTicks, readIdentities, readStates, readTokens } from './read-chain.ts';
import { createTickReader, type Header } from './tick-reader.ts';

/** A market that is read from a node, block by block. */
export type LiveMarket = {
  /** As of the block that it was opened at. */
  readonly market: Market;
  /** Returns the market as of the latest block, or undefined while that is the one read last. A pool that has not changed is the same object, with all that is kept of it. */
  readonly readNext: () => Promise<Market | undefined>;
};

/** How a market is opened: default, at the latest block. */
type LiveMarketOptions = NodeOptions & { readonly blockNumber?: number };

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
  options: LiveMarketOptions = {},
): Promise<LiveMarket> {
  try {
    return await readMarket(createNodeClient(url, options), file, options.blockNumber);
  } catch (error) {
    if (error instanceof MarketFileError) throw error;
    throw new CannotReadChainError(file.chainId, describeNodeFailure(error), error);
  }
}

async function readMarket(
  node: NodeClient,
  file: PoolsFile,
  blockNumber?: number,
): Promise<LiveMarket> {
  const { chainId } = file;
  const { block: opened, gasPriceWei } = await headOf(node, chainId, blockNumber);
  const identities = await readIdentities(node, file, opened);
  const traded = identities.flatMap((pool) => tokensOf(pool));
  const addresses = [...new Set([file.wrappedNative, file.usdToken, ...traded])];
  const tokens = await readTokens(node, addresses, file.logos ?? {}, opened);
  const ticks = createTickReader(node, poolsWithTicks(identities));

  const readAt = async ({ block, gasPriceWei }: Head): Promise<Market> => {
    const ticksThere = await ticks.readAt(block);
    const pools = await readStates(node, identities, ticksThere, block);
    const { number, timestamp, hash } = block;
    try {
      return parseMarket({
        format: 1,
        chainId,
        name: file.name,
        block: { number: Number(number), timestamp: Number(timestamp), hash },
        usdToken: file.usdToken,
        wrappedNative: file.wrappedNative,
        ...(file.makerOrders !== undefined && { makerOrders: file.makerOrders }),
        ...(file.feeOnTransfer !== undefined && { feeOnTransfer: file.feeOnTransfer }),
        gasPriceWei: String(gasPriceWei),
        tokens,
        pools,
        routers: file.routers,
      });
    } catch (error) {
      ticks.forget(); // they do not fit the pools' liquidity
      throw error;
    }
  };

  const market = await readAt({ block: opened, gasPriceWei });
  let { pools } = market;
  let last = opened.hash;
  return {
    market,
    readNext: async () => {
      const head = await headOf(node, chainId);
      if (head.block.hash === last) return undefined;
      const next = await readAt(head);
      last = head.block.hash;
      pools = next.pools.map(
        (pool, i) => (isDeepStrictEqual(pool, pools[i]) ? pools[i] : pool) ?? pool,
      );
      return { ...next, pools };
    },
  };
}

/** A block, and what gas costs after the latest. */
type Head = { readonly block: Header; readonly gasPriceWei: bigint };

/** Returns the latest block, or the one of that number; each time of the right chain, since another node may answer at the same URL. */
async function headOf(
  { client }: NodeClient,
  chainId: number,
  blockNumber?: number,
): Promise<Head> {
  const at =
    blockNumber === undefined
      ? ({ blockTag: 'latest' } as const)
      : { blockNumber: BigInt(blockNumber) };
  const [actual, block, gasPriceWei] = await Promise.all([
    client.getChainId(),
    client.getBlock(at),
    client.getGasPrice(),
  ]);
  if (actual !== chainId) throw new WrongChainError(actual);
  return { block, gasPriceWei };
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
