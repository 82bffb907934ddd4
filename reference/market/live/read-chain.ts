import { type Hex, hexToString } from 'viem';
import { MarketFileError } from '../../planner/domain/market-file-error.ts';
import type { FilePool } from '../../planner/pools/families.ts';
import { familyOf } from '../../planner/pools/families.ts';
import type { Read } from '../../planner/pools/family.ts';
import type { MarketFile } from '../market-file.ts';
import { type BlockId, type Call, type NodeClient, NodeError } from './node-client.ts';
import type { PoolIdentity } from './pool-identity.ts';
import type { PoolsFile } from './pools-file.ts';
import { createTickReader, type ReadTicks } from './read-ticks.ts';

const TOKEN_VIEWS = [
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  // Tokens older than ERC-20 return these types.
  'function name() view returns (bytes32)',
  'function symbol() view returns (bytes32)',
];

/** A plain disc, for tokens that have no logo in the file. The interface requires a URL. */
const PLAIN_LOGO =
  'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20viewBox=%220%200%202%202%22%3E%3Ccircle%20cx=%221%22%20cy=%221%22%20r=%221%22/%3E%3C/svg%3E';

const MAX_DECIMALS = 18;
const ADDRESS_PREFIX_LENGTH = 10;

/**
 * Returns the immutable fields of every pool in the file, in the same order.
 *
 * @throws {MarketFileError} at an address that has no pool of the given family
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

/** Undefined if the contract returns no decimals, or too many. */
type TokenRead = MarketFile['tokens'][number] | undefined;

/**
 * Returns the tokens at these addresses, in the same order; undefined for a contract without
 * `decimals`, or with more decimals than a market allows. If a token has no symbol, the start of
 * its address is used.
 */
export async function readTokens(
  { readAll }: NodeClient,
  addresses: readonly string[],
  logos: Readonly<Record<string, string>>,
  block: BlockId,
): Promise<readonly TokenRead[]> {
  const [names = [], symbols = [], decimals = [], oldNames = [], oldSymbols = []] =
    await Promise.all(
      TOKEN_VIEWS.map((view) =>
        readAll(
          addresses.map((address) => ({ address, view })),
          block,
        ),
      ),
    );
  return addresses.map((address, i) => {
    const places = decimals[i];
    if (typeof places !== 'number' || places > MAX_DECIMALS) return undefined;
    const symbol = textOf(symbols[i], oldSymbols[i]) || address.slice(0, ADDRESS_PREFIX_LENGTH);
    return {
      address,
      name: textOf(names[i], oldNames[i]) || symbol,
      symbol,
      decimals: places,
      logoURI: logos[address] ?? PLAIN_LOGO,
    };
  });
}

/**
 * Returns the state of pools at one block.
 *
 * @throws {NodeError} if a pool cannot be read
 */
export async function readStates(
  node: NodeClient,
  pools: readonly PoolIdentity[],
  block: BlockId,
  readTicks: ReadTicks = createTickReader(node),
): Promise<FilePool[]> {
  const reads = (pool: PoolIdentity) => familyOf(pool).live.reads(pool as Partial<FilePool>);
  const missing = ({ address }: PoolIdentity) => new NodeError(`pool ${address} cannot be read`);
  const [results, ticks] = await Promise.all([
    readEach(node, pools, reads, block, missing),
    Promise.all(pools.map((pool) => readTicks(pool, block))),
  ]);
  return pools.map((pool, i) =>
    familyOf(pool).live.state(pool as Partial<FilePool>, results[i] ?? [], ticks[i] ?? []),
  );
}

/** Returns the pools in a file, with their state at one block. */
export async function readPools(
  node: NodeClient,
  file: Parameters<typeof readIdentities>[1],
  block: BlockId,
): Promise<FilePool[]> {
  return readStates(node, await readIdentities(node, file, block), block);
}

/** Returns the results of each pool's reads. Throws `missing` for a pool with a failed read. */
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

function callOf(pool: string, { view, args, of = pool }: Read): Call {
  return { address: of, view, ...(args && { args }) };
}

function textOf(text: unknown, bytes: unknown): string | undefined {
  if (typeof text === 'string') return text;
  return typeof bytes === 'string' ? hexToString(bytes as Hex, { size: 32 }) : undefined;
}
