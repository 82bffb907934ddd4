import { type Abi, type Hash, hexToString, parseAbi } from 'viem';
import type { MarketFile, MarketFilePool } from '../market-file.ts';
import { MarketFileError } from '../market-file-error.ts';
import type { BlockId, Call, NodeClient } from './node-client.ts';
import type { PoolsFile } from './pools-file.ts';

/** What a pool's contract never changes. */
export type PoolIdentity = Pick<
  MarketFilePool,
  'address' | 'family' | 'source' | 'token0' | 'token1' | 'feePips'
> & {
  /** Of a concentrated pool. */
  readonly tickSpacing?: number;
};

type ConcentratedFilePool = Extract<MarketFilePool, { family: 'concentrated' }>;

/** The initialised ticks of a pool, ascending by index. */
export type Ticks = ConcentratedFilePool['ticks'];

// slot0 has more fields, and not the same ones in every deployment.
const POOL_ABI = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
  'function tickSpacing() view returns (int24)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function slot0() view returns (uint160, int24)',
  'function liquidity() view returns (uint128)',
  'function tickBitmap(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint128, int128)',
]);
const TOKEN_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);
// Tokens older than the standard.
const BYTES_TOKEN_ABI = parseAbi([
  'function name() view returns (bytes32)',
  'function symbol() view returns (bytes32)',
]);

/** A disc, for a token whose logo the file does not name: the interface wants a URL. */
const PLAIN_LOGO =
  'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20viewBox=%220%200%202%202%22%3E%3Ccircle%20cx=%221%22%20cy=%221%22%20r=%221%22/%3E%3C/svg%3E';

/** The Uniswap V2 fee, which no pair tells. */
const PAIR_FEE_PIPS = 3000;
const MAX_TICK = 887_272;
/** Ticks whose bits share a word of a pool's bitmap. */
const WORD = 256;

/**
 * Returns what stays of every pool of the file, in its order.
 *
 * @throws {MarketFileError} at an address that is no pool of its family
 */
export function readIdentities(
  node: NodeClient,
  { pools }: Pick<PoolsFile, 'pools'>,
  block: BlockId,
): Promise<readonly PoolIdentity[]> {
  // The reserves are asked for, since any contract may have two tokens.
  const own = { concentrated: ['fee', 'tickSpacing'], 'constant-product': ['getReserves'] };
  return callPools(node, pools, ({ family }) => ['token0', 'token1', ...own[family]], block, {
    missing: ({ address, family }, i) => {
      const must = `must be a ${family} pool of this chain`;
      return new MarketFileError(`/pools/${i}/address`, address, must, 'pools file');
    },
    make: ({ address, family, source, feePips = PAIR_FEE_PIPS }, [token0, token1, ...results]) => {
      const tokens = [token0, token1] as readonly string[];
      const [sorted0 = '', sorted1 = ''] = tokens.map((token) => token.toLowerCase());
      const identity = { address, family, source, token0: sorted0, token1: sorted1, feePips };
      if (family === 'constant-product') return identity;
      const [fee, tickSpacing] = results as [number, number];
      return { ...identity, feePips: fee, tickSpacing };
    },
  });
}

/**
 * Returns every token that a pool trades or the file names.
 *
 * @throws {MarketFileError} if one of them is no ERC-20 token that tells its symbol and decimals
 */
export async function readTokens(
  { readAll }: NodeClient,
  { usdToken, wrappedNative, logos = {} }: PoolsFile,
  pools: readonly PoolIdentity[],
  block: BlockId,
): Promise<MarketFile['tokens']> {
  const traded = pools.flatMap(({ token0, token1 }) => [token0, token1]);
  const addresses = [...new Set([wrappedNative, usdToken, ...traded])];
  const call = (abi: Abi, functionName: string) =>
    addresses.map((address): Call => ({ address, abi, functionName }));
  const [names, symbols, decimals, oldNames, oldSymbols] = await Promise.all(
    [
      call(TOKEN_ABI, 'name'),
      call(TOKEN_ABI, 'symbol'),
      call(TOKEN_ABI, 'decimals'),
      call(BYTES_TOKEN_ABI, 'name'),
      call(BYTES_TOKEN_ABI, 'symbol'),
    ].map((calls) => readAll(calls, block)),
  );
  return addresses.map((address, i) => {
    const symbol = textOf(symbols?.[i], oldSymbols?.[i]);
    const places = decimals?.[i];
    if (symbol === undefined || symbol === '' || typeof places !== 'number') {
      throw new MarketFileError('', address, 'must be a token with symbol and decimals', 'token');
    }
    return {
      address,
      name: textOf(names?.[i], oldNames?.[i]) ?? symbol,
      symbol,
      decimals: places,
      logoURI: logos[address] ?? PLAIN_LOGO,
    };
  });
}

/** Returns the state of the pools at one block; `ticksOf` has the ticks of every concentrated one. */
export function readStates(
  node: NodeClient,
  pools: readonly PoolIdentity[],
  ticksOf: ReadonlyMap<string, Ticks>,
  block: BlockId,
): Promise<MarketFilePool[]> {
  const own = { concentrated: ['slot0', 'liquidity'], 'constant-product': ['getReserves'] };
  return callPools(node, pools, ({ family }) => own[family], block, {
    missing: ({ address }) => new PoolGoneError(address),
    make: ({ family, tickSpacing = 1, ...identity }, results): MarketFilePool => {
      if (family === 'constant-product') {
        const [[reserve0, reserve1]] = results as [readonly [bigint, bigint]];
        return { family, ...identity, reserve0: `${reserve0}`, reserve1: `${reserve1}` };
      }
      const [[sqrtPriceX96, tick], liquidity] = results as [readonly [bigint, number], bigint];
      return {
        family,
        ...identity,
        tickSpacing,
        sqrtPriceX96: `${sqrtPriceX96}`,
        tick,
        liquidity: `${liquidity}`,
        ticks: ticksOf.get(identity.address) ?? [],
      };
    },
  });
}

/** Calls functions of each pool, and returns what is made of all that they return; throws what is `missing` where one does not. */
async function callPools<Pool extends { readonly address: string }, Made>(
  { readAll }: NodeClient,
  pools: readonly Pool[],
  functionsOf: (pool: Pool) => readonly string[],
  block: BlockId,
  {
    make,
    missing,
  }: {
    readonly make: (pool: Pool, results: readonly unknown[]) => Made;
    readonly missing: (pool: Pool, index: number) => Error;
  },
): Promise<Made[]> {
  const calls = pools.map((pool) => functionsOf(pool).map((name) => poolCall(pool.address, name)));
  const results = [...(await readAll(calls.flat(), block))];
  return pools.map((pool, index) => {
    const own = results.splice(0, calls[index]?.length);
    if (own.includes(undefined)) throw missing(pool, index);
    return make(pool, own);
  });
}

/** Returns all initialised ticks of the concentrated pools, by address: every word of their bitmaps is read. */
export async function readTicks(
  node: NodeClient,
  pools: readonly PoolIdentity[],
  block: BlockId,
): Promise<ReadonlyMap<string, Ticks>> {
  const indices = await readInitialised(node, pools, block);
  const calls = indices.map(({ address, index }) => poolCall(address, 'ticks', [index]));
  const results = (await node.readAll(calls, block)) as (readonly [bigint, bigint])[];
  const ticks = new Map<string, Ticks>(pools.map(({ address }) => [address, []]));
  for (const [i, { address, index }] of indices.entries()) {
    const result = results[i];
    if (result === undefined) throw new PoolGoneError(address);
    const [liquidityGross, liquidityNet] = result.map(String) as [string, string];
    ticks.get(address)?.push({ index, liquidityGross, liquidityNet });
  }
  return ticks;
}

async function readInitialised(
  { readAll }: NodeClient,
  pools: readonly PoolIdentity[],
  block: BlockId,
): Promise<{ readonly address: string; readonly index: number }[]> {
  const words = pools.flatMap(({ address, tickSpacing = 1 }) => {
    const last = Math.floor(MAX_TICK / tickSpacing / WORD);
    const first = Math.floor(-Math.floor(MAX_TICK / tickSpacing) / WORD);
    return Array.from({ length: last - first + 1 }, (_, i) => ({
      address,
      tickSpacing,
      word: first + i,
    }));
  });
  const calls = words.map(({ address, word }) => poolCall(address, 'tickBitmap', [word]));
  const bitmaps = (await readAll(calls, block)) as (bigint | undefined)[];
  return words.flatMap(({ address, tickSpacing, word }, i) => {
    const bits = bitmaps[i];
    if (bits === undefined) throw new PoolGoneError(address);
    return setBits(bits).map((bit) => ({ address, index: (word * WORD + bit) * tickSpacing }));
  });
}

function setBits(bits: bigint): number[] {
  const set: number[] = [];
  let rest = bits;
  for (let bit = 0; rest > 0n; bit++, rest >>= 1n) {
    if ((rest & 1n) === 1n) set.push(bit);
  }
  return set;
}

function poolCall(address: string, functionName: string, args: readonly unknown[] = []): Call {
  return { address, abi: POOL_ABI, functionName, args };
}

function textOf(text: unknown, bytes: unknown): string | undefined {
  if (typeof text === 'string') return text;
  if (typeof bytes !== 'string') return undefined;
  return hexToString(bytes as Hash, { size: 32 });
}

/** Thrown when a pool that was there answers no more. */
export class PoolGoneError extends Error {
  override readonly name = 'PoolGoneError';

  constructor(address: string) {
    super(`pool ${address} does not answer`);
  }
}
