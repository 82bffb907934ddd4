import { isDeepStrictEqual } from 'node:util';
import { MethodNotFoundRpcError } from 'viem';
import { MarketFileError } from '../../planner/domain/market-file-error.ts';
import { tokensOf } from '../../planner/pools/pool.ts';
import type { Market } from '../market.ts';
import type { MarketFile } from '../market-file.ts';
import { parseMarket } from '../parse-market.ts';
import {
  type BlockId,
  createNodeClient,
  describeNodeFailure,
  type NodeClient,
  NodeError,
  type NodeOptions,
} from './node-client.ts';
import type { PoolIdentity } from './pool-identity.ts';
import type { PoolsFile } from './pools-file.ts';
import { readIdentities, readStates, readTokens } from './read-chain.ts';
import { createTickReader } from './read-ticks.ts';

/** A market read from a node, block by block. */
export type LiveMarket = {
  /** The market at the block at which it was opened. */
  readonly market: Market;
  /** Addresses of tokens without usable decimals; their pools are not served. */
  readonly unusableTokens: readonly string[];
  /**
   * Returns the market at the latest block; undefined if this block has already been read. An
   * unchanged pool remains the same object.
   */
  readonly readNext: () => Promise<Market | undefined>;
};

type LiveMarketOptions = NodeOptions & { readonly blockNumber?: number };

/**
 * Opens the market of a pools file through the node at `url`. Reads the whole state at every block
 * again, so that a wrong reply from the node does not affect later markets.
 *
 * @throws {MarketFileError} if the file does not fit the chain
 * @throws {CannotReadChainError} if the node cannot be read, or serves another chain
 */
export async function openLiveMarket(
  file: PoolsFile,
  url: string,
  { blockNumber, ...options }: LiveMarketOptions = {},
): Promise<LiveMarket> {
  try {
    return await readMarket(createNodeClient(url, options), file, blockNumber);
  } catch (error) {
    if (error instanceof MarketFileError) throw error;
    throw new CannotReadChainError(file.chainId, describeNodeFailure(error), error);
  }
}

async function readMarket(
  node: NodeClient,
  file: PoolsFile,
  blockNumber: number | undefined,
): Promise<LiveMarket> {
  const { client } = node;
  const opened = await client.getBlock(
    blockNumber === undefined ? {} : { blockNumber: BigInt(blockNumber) },
  );
  await requireChain(node, file.chainId);
  const { pools: identities, tokens, unusableTokens } = await readFixedParts(node, file, opened);

  const readTicks = createTickReader(node);
  const readAt = async (block: BlockId): Promise<Market> => {
    const [gasPriceWei, pools] = await Promise.all([
      client.getGasPrice().catch(undefinedIfNotOffered),
      readStates(node, identities, block, readTicks),
    ]);
    const { number, timestamp, hash } = block;
    const { logos: _, feeOnTransfer = [], ...ofFile } = file;
    return parseMarket({
      ...ofFile,
      feeOnTransfer: feeOnTransfer.filter((token) => !unusableTokens.includes(token)),
      block: { number: Number(number), timestamp: Number(timestamp), hash },
      ...(gasPriceWei !== undefined && { gasPriceWei: String(gasPriceWei) }),
      tokens,
      pools,
    });
  };

  let market = await readAt(opened);
  return {
    market,
    unusableTokens,
    readNext: async () => {
      const block = await client.getBlock();
      if (block.hash === market.block.hash) return undefined;
      // By now, the URL may lead to another node.
      await requireChain(node, file.chainId);
      const next = await readAt(block);
      const pools = next.pools.map((pool, i) => {
        const before = market.pools[i];
        return before !== undefined && isDeepStrictEqual(pool, before) ? before : pool;
      });
      market = { ...next, pools };
      return market;
    },
  };
}

async function readFixedParts(
  node: NodeClient,
  file: PoolsFile,
  block: BlockId,
): Promise<{
  readonly pools: readonly PoolIdentity[];
  readonly tokens: MarketFile['tokens'];
  readonly unusableTokens: readonly string[];
}> {
  const pools = await readIdentities(node, file, block);
  const required = new Set([file.wrappedNative, file.usdToken]);
  const addresses = [...new Set([...required, ...pools.flatMap((pool) => [...tokensOf(pool)])])];
  const read = await readTokens(node, addresses, file.logos ?? {}, block);
  const unusableTokens = addresses.filter((_, i) => read[i] === undefined);
  for (const address of unusableTokens) {
    if (!required.has(address)) continue;
    throw new MarketFileError('', address, 'must be a token with at most 18 decimals', 'token');
  }
  return {
    pools: pools.filter((pool) => !tokensOf(pool).some((token) => unusableTokens.includes(token))),
    tokens: read.filter((token) => token !== undefined),
    unusableTokens,
  };
}

function undefinedIfNotOffered(error: unknown): undefined {
  if (!(error instanceof MethodNotFoundRpcError)) throw error;
}

async function requireChain({ client }: NodeClient, chainId: number): Promise<void> {
  const actual = await client.getChainId();
  if (actual !== chainId) throw new NodeError(`it is a node of chain ${actual}`);
}

/** Thrown if a node cannot be read. */
export class CannotReadChainError extends Error {
  override readonly name = 'CannotReadChainError';

  constructor(chainId: number, why: string, cause?: unknown) {
    super(`Cannot read chain ${chainId} from its node: ${why}`, { cause });
  }
}
