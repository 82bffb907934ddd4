import { type Abi, type Hash, hexToString, parseAbi, prepareEncodeFunctionData } from 'viem';
import { MarketFileError } from '../../planner/domain/market-file-error.ts';
import type { FilePool } from '../../planner/pools/families.ts';
import { familyOf } from '../../planner/pools/families.ts';
import type { FileTicks, Read, TickReads } from '../../planner/pools/family.ts';
import { keyOf } from '../../planner/pools/pool.ts';
import type { MarketFile } from '../market-file.ts';
import type { BlockId, Call, NodeClient } from './node-client.ts';
import type { PoolsFile } from './pools-file.ts';

/** What a pool's contract never changes; each family adds its own. */
export type PoolIdentity = Pick<FilePool, 'address' | 'family' | 'source'> &
  (
    | { readonly token0: string; readonly token1: string }
    | { readonly tokens: readonly string[] }
  ) & {
    /** Of a pool that keeps ticks. */
    readonly tickSpacing?: number;
    /** Of a pool whose contract holds others too. */
    readonly poolId?: string;
  };

const TOKEN_VIEWS = [
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  // Tokens older than the standard.
  'function name() view returns (bytes32)',
  'function symbol() view returns (bytes32)',
];

/** A disc, for a token whose logo the file does not name: the interface wants a URL. */
const PLAIN_LOGO =
  'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20viewBox=%220%200%202%202%22%3E%3Ccircle%20cx=%221%22%20cy=%221%22%20r=%221%22/%3E%3C/svg%3E';

const MAX_TICK = 887_272;
/** FileTicks whose bits share a word of a pool's bitmap. */
const WORD = 256;

/**
 * Returns what stays of every pool of the file, in its order.
 *
 * @throws {MarketFileError} at an address that is no pool of its family
 */
export async function readIdentities(
  node: NodeClient,
  { pools: named, wrappedNative }: Pick<PoolsFile, 'pools' | 'wrappedNative'>,
  block: BlockId,
): Promise<readonly PoolIdentity[]> {
  const pools = named.map((pool) => ({ ...pool, wrappedNative }));
  const missing = (pool: (typeof pools)[number], i: number) => {
    const must = `must be a ${pool.family} pool of this chain`;
    return new MarketFileError(`/pools/${i}/address`, pool.address, must, 'pools file');
  };
  const rounds = pools.map((pool) => familyOf(pool).live.identify);
  const soFar: unknown[][] = pools.map(() => []);
  for (let round = 0; rounds.some(({ length }) => length > round); round++) {
    const reads = (pool: (typeof pools)[number], i: number) =>
      rounds[i]?.[round]?.(pool, soFar[i] ?? []) ?? [];
    const results = await readEach(node, pools, reads, block, missing);
    for (const [i, own] of results.entries()) soFar[i]?.push(...own);
  }
  return pools.map((pool, i) => {
    const identity = familyOf(pool).live.identity(pool, soFar[i] ?? []);
    if (identity === undefined) throw missing(pool, i);
    return identity as PoolIdentity;
  });
}

/**
 * Returns what tokens say of themselves, in the order of their addresses.
 *
 * @throws {MarketFileError} if one of them is no ERC-20 token that tells its symbol and decimals
 */
export async function readTokens(
  { readAll }: NodeClient,
  addresses: readonly string[],
  logos: Readonly<Record<string, string>>,
  block: BlockId,
): Promise<MarketFile['tokens']> {
  const [names, symbols, decimals, oldNames, oldSymbols] = await Promise.all(
    TOKEN_VIEWS.map((view) =>
      readAll(
        addresses.map((address) => callOf(address, { view })),
        block,
      ),
    ),
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

/** Returns the state of the pools at one block; `ticksOf` has the ticks of every one that keeps some. */
export async function readStates(
  node: NodeClient,
  pools: readonly PoolIdentity[],
  ticksOf: ReadonlyMap<string, FileTicks>,
  block: BlockId,
): Promise<FilePool[]> {
  const reads = (pool: PoolIdentity) => familyOf(pool).live.reads(pool as Partial<FilePool>);
  const missing = ({ address }: PoolIdentity) => new PoolGoneError(address);
  const results = await readEach(node, pools, reads, block, missing);
  return pools.map((pool, i) => {
    const ticks = ticksOf.get(keyOf(pool)) ?? [];
    return familyOf(pool).live.state(pool as Partial<FilePool>, results[i] ?? [], ticks);
  });
}

/** Returns the pools that a file names as they are at one block. @throws {MarketFileError} at an address that is no pool of its family */
export async function readPools(
  node: NodeClient,
  file: Parameters<typeof readIdentities>[1],
  block: BlockId,
): Promise<FilePool[]> {
  const pools = await readIdentities(node, file, block);
  return readStates(node, pools, await readTicks(node, poolsWithTicks(pools), block), block);
}

/** Returns those of the pools that keep ticks. */
export function poolsWithTicks(pools: readonly PoolIdentity[]): readonly PoolIdentity[] {
  return pools.filter((pool) => familyOf(pool).live.ticks !== undefined);
}

/** Returns what the functions of each pool return; throws what is `missing` where one does not. */
async function readEach<Each extends { readonly address: string }>(
  { readAll }: NodeClient,
  pools: readonly Each[],
  readsOf: (pool: Each, index: number) => readonly Read[],
  block: BlockId,
  missing: (pool: Each, index: number) => Error,
): Promise<readonly (readonly unknown[])[]> {
  const calls = pools.map((pool, i) => readsOf(pool, i).map((read) => callOf(pool.address, read)));
  const results = [...(await readAll(calls.flat(), block))];
  return pools.map((pool, index) => {
    const own = results.splice(0, calls[index]?.length);
    if (own.includes(undefined)) throw missing(pool, index);
    return own;
  });
}

const VIEWS = new Map<string, Pick<Call, 'abi' | 'selector'>>();

/** A market is read in thousands of calls of a few functions: each is parsed and hashed once. */
function callOf(pool: string, { view, args = [], of = pool }: Read): Call {
  const known = VIEWS.get(view) ?? prepareView(view);
  VIEWS.set(view, known);
  return { address: of, ...known, args };
}

function prepareView(view: string): Pick<Call, 'abi' | 'selector'> {
  const { abi, functionName } = prepareEncodeFunctionData({ abi: parseAbi([view]) as Abi });
  return { abi, selector: functionName };
}

/** Returns all initialised ticks of the pools that keep some, by address: every word of their bitmaps is read. */
export async function readTicks(
  node: NodeClient,
  pools: readonly PoolIdentity[],
  block: BlockId,
): Promise<ReadonlyMap<string, FileTicks>> {
  const indices = await readInitialised(node, pools, block);
  const calls = indices.map(({ pool, reads, index }) =>
    callOf(pool.address, reads.tick(pool as Partial<FilePool>, index)),
  );
  const results = await node.readAll(calls, block);
  const ticks = new Map<string, FileTicks>(pools.map((pool) => [keyOf(pool), []]));
  for (const [i, { pool, reads, index }] of indices.entries()) {
    const result = results[i];
    if (result === undefined) throw new PoolGoneError(pool.address);
    const [gross, net] = reads.liquidityOf(result);
    const tick = { index, liquidityGross: `${gross}`, liquidityNet: `${net}` };
    ticks.get(keyOf(pool))?.push(tick);
  }
  return ticks;
}

type TickAt = {
  readonly pool: PoolIdentity;
  readonly reads: TickReads<Partial<FilePool>>;
  readonly index: number;
};

async function readInitialised(
  { readAll }: NodeClient,
  pools: readonly PoolIdentity[],
  block: BlockId,
): Promise<readonly TickAt[]> {
  const words = pools.flatMap((pool) => {
    const { tickSpacing = 1 } = pool;
    const reads = familyOf(pool).live.ticks;
    if (reads === undefined) return [];
    const last = Math.floor(MAX_TICK / tickSpacing / WORD);
    const first = Math.floor(-Math.floor(MAX_TICK / tickSpacing) / WORD);
    return Array.from({ length: last - first + 1 }, (_, i) => ({
      ...{ pool, reads, tickSpacing },
      word: first + i,
    }));
  });
  const calls = words.map(({ pool, reads, word }) =>
    callOf(pool.address, reads.word(pool as Partial<FilePool>, word)),
  );
  const bitmaps = await readAll(calls, block);
  return words.flatMap(({ pool, reads, tickSpacing, word }, i) => {
    const bits = bitmaps[i];
    if (bits === undefined) throw new PoolGoneError(pool.address);
    return setBits(reads.bitsOf(bits)).map((bit) => ({
      ...{ pool, reads },
      index: (word * WORD + bit) * tickSpacing,
    }));
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
