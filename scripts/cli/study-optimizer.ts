import { messageOf } from '../../conformance/contract/message-of.ts';
import { readText } from '../../conformance/output/read-file.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { openLiveMarket } from '../../reference/market/live/live-market.ts';
import {
  type BlockId,
  createNodeClient,
  type NodeClient,
} from '../../reference/market/live/node-client.ts';
import type { PoolsFile } from '../../reference/market/live/pools-file.ts';
import { entryOf } from '../../reference/market/live/pools-file.ts';
import { readIdentities } from '../../reference/market/live/read-chain.ts';
import type { Market } from '../../reference/market/market.ts';
import type { Address } from '../../reference/planner/domain/address.ts';
import { MarketFileError } from '../../reference/planner/domain/market-file-error.ts';
import { createPlanner, type Planner } from '../../reference/planner/planner.ts';
import {
  FAMILIES,
  type FileFamilyName,
  type FilePool,
} from '../../reference/planner/pools/families.ts';
import type { Best } from '../../study/model/measured-trade.ts';
import type { NamedPool, Optimizer, TradeToBeat } from '../../study/model/optimizer.ts';

type FilePools = PoolsFile['pools'];
type SingletonFile = Extract<FilePool, { readonly family: 'singleton' }>;

/**
 * Returns the optimizer of a study, which plans with the reference's planner. It uses the pools
 * from a market file, from a pools file or from the plans themselves, and reads these pools at the
 * block of the quote.
 * @throws {UsageError} for a file without pools
 */
export function createStudyOptimizer(file?: string): Optimizer {
  const own = file === undefined ? undefined : readPools(file);
  const families: Families = new Map();
  const planner = createPlanner();
  return {
    best: async (chain, named, trades) => {
      const { chainId, rpcUrl, usdToken, wrappedNative, block: blockNumber } = chain;
      const node = createNodeClient(rpcUrl);
      const block = await node.client.getBlock({ blockNumber: BigInt(blockNumber) });
      const ofFile = own?.chainId === chainId ? own.pools : undefined;
      const identified =
        ofFile ?? (await identify(node, { block, wrappedNative }, named, families));
      const pools = identified.filter((pool) => pool !== undefined);
      const unread = new Set(
        ofFile === undefined ? named.filter((_, at) => identified[at] === undefined) : [],
      );
      if (pools.length === 0) return { plans: [], unread };
      const common = { format: 1, chainId, name: 'study', usdToken, wrappedNative } as const;
      const file = { ...common, pools, routers: [] };
      const { market } = await openLiveMarket(file, rpcUrl, { blockNumber });
      return { plans: trades.map((trade) => bestPlan(planner, market, trade)), unread };
    },
  };
}

type Families = Map<string, FileFamilyName | undefined>;

function bestPlan(
  planner: Planner,
  market: Market,
  { sellToken, buyToken, swapKind, amount }: TradeToBeat,
): Best {
  const sources = new Set(market.pools.map(({ source }) => source));
  const plan = planner(market, {
    sellToken: sellToken as string as Address,
    buyToken: buyToken as string as Address,
    swapKind,
    amount,
    constraints: { sources, topology: 'graph' },
    gasPriceWei: 0n,
  });
  if (plan.kind === 'no-route') return { kind: 'unknown', why: `no route: ${plan.reason}` };
  return {
    kind: 'best',
    sold: String(plan.sellAmount),
    bought: String(plan.buyAmount),
    pools: market.pools.length,
  };
}

type ReadAt = { readonly block: BlockId; readonly wrappedNative: string };

/**
 * Returns the named pools with the family that each pool's contract shows; undefined for a pool of
 * unknown family.
 */
async function identify(
  node: NodeClient,
  at: ReadAt,
  named: readonly NamedPool[],
  families: Families,
): Promise<readonly (FilePools[number] | undefined)[]> {
  const pools: (FilePools[number] | undefined)[] = [];
  for (const pool of named) {
    const id = JSON.stringify([pool.address, pool.key]);
    if (!families.has(id)) families.set(id, await familyOf(node, at, pool));
    const family = families.get(id);
    pools.push(family && { family, ...pool });
  }
  return pools;
}

async function familyOf(
  node: NodeClient,
  { block, wrappedNative }: ReadAt,
  pool: NamedPool,
): Promise<FileFamilyName | undefined> {
  for (const family of Object.keys(FAMILIES) as FileFamilyName[]) {
    try {
      await readIdentities(node, { pools: [{ family, ...pool }], wrappedNative }, block);
      return family;
    } catch (error) {
      if (!(error instanceof MarketFileError)) throw error;
    }
  }
  return undefined;
}

function readPools(path: string): { readonly chainId: number; readonly pools: FilePools } {
  try {
    const file = JSON.parse(readText(path, `--market ${path}`)) as {
      readonly chainId?: unknown;
      readonly pools?: readonly (FilePools[number] | SingletonFile)[];
    };
    if (typeof file.chainId === 'number' && Array.isArray(file.pools) && file.pools.length > 0) {
      const pools = file.pools.map((pool) => {
        // A pools file identifies a Uniswap V4 pool by its key, whereas a market file has separate
        // fields.
        const { key } = 'poolId' in pool ? entryOf(pool) : pool;
        const { family, address, source, feePips } = pool;
        return {
          ...{ family, address: address.toLowerCase(), source },
          ...(feePips !== undefined && { feePips }),
          ...(key !== undefined && { key }),
        };
      });
      return { chainId: file.chainId, pools };
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const why = messageOf(cause);
    throw new UsageError(`--market ${path} cannot be read: ${why}`, { cause });
  }
  throw new UsageError(`--market ${path} is neither a market file nor a pools file`);
}
