import { isDeepStrictEqual } from 'node:util';
import { BaseError, type Block, type Hex, type Log, RpcRequestError, toEventSelector } from 'viem';
import { createRecentCache } from '../../planner/domain/recent-cache.ts';
import type { FileTicks } from '../../planner/pools/family.ts';
import { keyOf } from '../../planner/pools/pool.ts';
import { bloomOf, hasAll } from './logs-bloom.ts';
import type { NodeClient } from './node-client.ts';
import { type PoolIdentity, readTicks } from './read-chain.ts';

/** A block that was mined. */
export type Header = Omit<Block<bigint, false, 'latest'>, 'logsBloom'> & {
  readonly logsBloom: Hex | null;
};

/** Blocks that are read until each pool has had its turn. */
export const TURNS = 32;

/** Earlier readings that a block may build on, and blocks between them and it. */
const KEPT = 64;
const MAX_STEPS = 32;

/** First topics of the events that tell of a position that changed. */
const POSITION_TOPICS = new Set<Hex>(
  [
    'Mint(address,address,int24,int24,uint128,uint256,uint256)',
    'Burn(address,int24,int24,uint128,uint256,uint256)',
    'ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)',
  ].map(toEventSelector),
);
const POSITION_BITS = [...POSITION_TOPICS].map(bloomOf);

/**
 * Returns a reader that reads the ticks of a pool again where a block since an
 * earlier reading may have changed them, or all where it builds on none.
 *
 * Nothing is taken for unchanged because a node did not tell of a change: the
 * filter in the block's own header says which pools may have one. And each block
 * reads some pools again in turns, whatever was told of them: should one not be
 * what it was thought to be, all are read.
 */
export function createTickReader(node: NodeClient, pools: readonly PoolIdentity[]) {
  let readings = createRecentCache<ReadonlyMap<string, FileTicks>>(KEPT);
  let turn = 0;
  /** Lets no earlier reading stand: the next reads all. */
  const forget = () => {
    readings = createRecentCache(KEPT);
  };

  const readSince = async (
    known: ReadonlyMap<string, FileTicks>,
    blocks: readonly Header[],
    head: Header,
  ): Promise<ReadonlyMap<string, FileTicks>> => {
    const perBlock = await Promise.all(blocks.map((block) => poolsToRead(node, pools, block)));
    const changed = new Set(perBlock.flat());
    const atOnce = Math.ceil(pools.length / TURNS);
    const due = [...pools, ...pools]
      .slice(turn, turn + atOnce)
      .filter((pool) => !changed.has(pool));
    const read = await readTicks(node, [...changed, ...due], head);
    turn = (turn + atOnce) % Math.max(1, pools.length);
    if (due.every((pool) => isDeepStrictEqual(read.get(keyOf(pool)), known.get(keyOf(pool))))) {
      return new Map([...known, ...read]);
    }
    forget();
    return readTicks(node, pools, head);
  };

  return {
    /** Returns the ticks of every pool at a block. */
    readAt: async (head: Header): Promise<ReadonlyMap<string, FileTicks>> => {
      const kept = readings.get(head.hash);
      if (kept !== undefined) return kept;
      const origin = await findOrigin(node, head, readings.get);
      const ticks =
        origin === undefined
          ? await readTicks(node, pools, head)
          : await readSince(origin.known, origin.blocks, head);
      readings.set(head.hash, ticks);
      return ticks;
    },
    forget,
  };
}

/** Returns the nearest block before `head` that was read, and those after it; undefined where it is too far, or none. */
async function findOrigin<Reading>(
  { client }: NodeClient,
  head: Header,
  readingAt: (hash: string) => Reading | undefined,
): Promise<{ readonly known: Reading; readonly blocks: readonly Header[] } | undefined> {
  const blocks = [head];
  for (let block = head; blocks.length <= MAX_STEPS; blocks.push(block)) {
    const { parentHash } = block;
    const known = readingAt(parentHash);
    if (known !== undefined) return { known, blocks };
    if (block.number === 0n) return undefined;
    block = await client.getBlock({ blockHash: parentHash });
    if (block.hash !== parentHash) throw new WrongParentError(parentHash);
  }
  return undefined;
}

/** Returns the pools of which a position may have changed in a block. */
async function poolsToRead(
  node: NodeClient,
  pools: readonly PoolIdentity[],
  block: Header,
): Promise<readonly PoolIdentity[]> {
  const filter = filterOf(block);
  // A few chains leave the filter empty, or out: there it says nothing.
  const isUnused = filter === 0n && (block.transactions.length > 0 || block.logsBloom === null);
  const maybe = pools.filter((pool) => {
    const mayChange = POSITION_BITS.some((event) => hasAll(filter, event));
    return isUnused || (mayChange && hasAll(filter, bloomOf(keyOf(pool) as Hex)));
  });
  if (maybe.length === 0) return [];
  const logs = await readLogs(node, block);
  if (logs === undefined) return maybe;
  // Where one contract holds many pools, the event's first topic names the one.
  const moved = new Set(
    logs.flatMap(({ address, topics: [, name] }) => [address.toLowerCase(), name]),
  );
  return pools.filter((pool) => moved.has(keyOf(pool) as Hex));
}

/**
 * Returns the logs of a block that tell of positions, or undefined where they are
 * not to be relied on: a node that does not have the block is to refuse, but some
 * tell of no logs, so that all logs together must set every bit of the filter.
 *
 * @see https://eips.ethereum.org/EIPS/eip-234
 * @see https://github.com/besu-eth/besu/issues/8007
 */
async function readLogs(
  { client }: NodeClient,
  block: Header,
): Promise<readonly Log[] | undefined> {
  const logs = await client.getLogs({ blockHash: block.hash }).catch((error: unknown) => {
    const isRefused =
      error instanceof BaseError && error.walk((each) => each instanceof RpcRequestError) !== null;
    if (isRefused) return undefined;
    throw error;
  });
  if (logs?.some(({ blockHash }) => blockHash !== block.hash) !== false) return undefined;
  const items = new Set(logs.flatMap(({ address, topics }) => [address, ...topics]));
  const told = [...items].reduce((bits, item) => bits | bloomOf(item), 0n);
  if (!hasAll(told, filterOf(block))) return undefined;
  return logs.filter(({ topics: [event] }) => event !== undefined && POSITION_TOPICS.has(event));
}

/** viem gives null for a filter that a block lacks, whatever its types say. */
function filterOf({ logsBloom }: { readonly logsBloom: Hex | null }): bigint {
  return BigInt(logsBloom ?? 0);
}

/** Thrown when a node gives another block than that of the hash that it was asked for. */
class WrongParentError extends Error {
  override readonly name = 'WrongParentError';

  constructor(hash: string) {
    super(`it gives another block for ${hash}`);
  }
}
