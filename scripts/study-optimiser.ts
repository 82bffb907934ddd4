import { readFileSync } from 'node:fs';
import { UsageError } from '../conformance/output/usage-error.ts';
import type { Address } from '../reference/domain/address.ts';
import { MarketFileError } from '../reference/domain/market-file-error.ts';
import { openLiveMarket } from '../reference/market/live/live-market.ts';
import {
  type BlockId,
  createNodeClient,
  type NodeClient,
} from '../reference/market/live/node-client.ts';
import type { PoolsFile } from '../reference/market/live/pools-file.ts';
import { readIdentities } from '../reference/market/live/read-chain.ts';
import type { Market } from '../reference/market/market.ts';
import { FAMILIES, type FileFamilyName } from '../reference/pools/families.ts';
import { planRoute } from '../reference/routing/plan-route.ts';
import type { Best } from '../study/model/measured-trade.ts';
import type { NamedPool, Optimiser, TradeToBeat } from '../study/model/optimiser.ts';

type FilePools = PoolsFile['pools'];

/**
 * Returns the reference's optimiser for a study: over the pools of a market or
 * pools file, or over those that plans name, each read at the block.
 *
 * @throws {UsageError} for a file that names no pools
 */
export function createStudyOptimiser(file?: string): Optimiser {
  const own = file === undefined ? undefined : readPools(file);
  /** By address; undefined for what is no pool of a family that is known. */
  const families = new Map<string, FileFamilyName | undefined>();
  return {
    best: async (chain, named, trades) => {
      const { chainId, rpcUrl, usdToken, wrappedNative } = chain;
      const unknown = (why: string) => trades.map((): Best => ({ kind: 'unknown', why }));
      const node = createNodeClient(rpcUrl);
      const block = await node.client.getBlock();
      const ofChain = own?.chainId === chainId ? own.pools : undefined;
      const known = ofChain ?? (await identify(node, block, named, families));
      const unread = ofChain === undefined ? named.length - known.length : 0;
      if (unread > 0) return unknown(`${unread} of ${named.length} pools are of no known family`);
      const { market } = await openLiveMarket(
        {
          format: 1,
          chainId,
          name: 'study',
          usdToken,
          wrappedNative,
          pools: [...known],
          routers: [],
        },
        rpcUrl,
      );
      if (market.block.number !== chain.block) return unknown('the chain went on meanwhile');
      return trades.map((trade) => bestPlan(market, trade));
    },
  };
}

function bestPlan(market: Market, { sellToken, buyToken, swapKind, amount }: TradeToBeat): Best {
  const sources = new Set(market.pools.map(({ source }) => source));
  const plan = planRoute(market, {
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

/** Returns the pools whose contracts answer as those of some family do. */
async function identify(
  node: NodeClient,
  block: BlockId,
  named: readonly NamedPool[],
  families: Map<string, FileFamilyName | undefined>,
): Promise<FilePools> {
  for (const { address, source } of named) {
    if (families.has(address)) continue;
    families.set(address, undefined);
    for (const family of Object.keys(FAMILIES) as FileFamilyName[]) {
      if (!(await isOfFamily(node, block, { family, address, source }))) continue;
      families.set(address, family);
      break;
    }
  }
  return named.flatMap(({ address, source }) => {
    const family = families.get(address);
    return family === undefined ? [] : [{ family, address, source }];
  });
}

async function isOfFamily(
  node: NodeClient,
  block: BlockId,
  pool: FilePools[number],
): Promise<boolean> {
  try {
    await readIdentities(node, { pools: [pool], wrappedNative: '' }, block);
    return true;
  } catch (error) {
    if (error instanceof MarketFileError) return false;
    throw error;
  }
}

function readPools(path: string): { readonly chainId: number; readonly pools: FilePools } {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as Partial<PoolsFile>;
    if (typeof file.chainId === 'number' && Array.isArray(file.pools) && file.pools.length > 0) {
      const pools = file.pools.map(({ family, address, source, ...rest }) => ({
        family,
        address: address.toLowerCase(),
        source,
        ...(rest.feePips !== undefined && { feePips: rest.feePips }),
        ...(rest.key !== undefined && { key: rest.key }),
      }));
      return { chainId: file.chainId, pools };
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--market ${path} cannot be read: ${why}`, { cause });
  }
  throw new UsageError(`--market ${path} is neither a market file nor a pools file`);
}
