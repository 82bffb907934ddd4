import { createRequire } from 'node:module';
import {
  type Abi,
  decodeAbiParameters,
  encodeDeployData,
  type Hex,
  hexToNumber,
  keccak256,
  parseAbiParameters,
  size as sizeOf,
  slice,
  toFunctionSelector,
  zeroHash,
} from 'viem';
import { familyOf } from '../../planner/pools/families.ts';
import type { FileTicks, TickSource } from '../../planner/pools/family.ts';
import { keyOf } from '../../planner/pools/pool.ts';
import { TICKS_PER_WORD } from '../../planner/pools/swap-steps.ts';
import { MAX_TICK } from '../../planner/pools/tick-math.ts';
import type { BlockId, NodeClient } from './node-client.ts';
import type { PoolIdentity } from './pool-identity.ts';

/** Contract that reads the ticks of a pool in one `eth_call`. */
export const READ_TICKS: { readonly abi: Abi; readonly bytecode: Hex } = createRequire(
  import.meta.url,
)('#fixtures/bytecode/read-ticks.json');

/** Output of `READ_TICKS`. */
export const TICKS_RESULT = parseAbiParameters(
  'uint256 blockNumber, uint256 timestamp, bool isKnown, int256 endWord, bytes ticks',
);

/** Reading this many words costs about 6 million gas. Reading their ticks costs twice as much. */
const MAX_WORDS_PER_PAGE = 2_048;
/** Size of a tick: an int24 index, and 128 bits each of net and gross liquidity. */
const TICK_BYTES = 35;

type Page = {
  readonly firstWord: number;
  readonly endWord: number;
  readonly hash: Hex;
  readonly ticks: FileTicks;
};

/** Returns the ticks of a pool at a block; none for a pool without ticks. */
export type ReadTicks = (pool: PoolIdentity, block: BlockId) => Promise<FileTicks>;

/**
 * Returns a function that reads a pool's ticks. At each block, the node reads all ticks, but sends
 * only the ranges whose hash has changed.
 */
export function createTickReader(node: NodeClient): ReadTicks {
  const pagesByPool = new Map<string, readonly Page[]>();
  return async (pool, block) => {
    const source = familyOf(pool).live.ticks?.(pool as never);
    if (source === undefined) return [];
    const pages = pagesByPool.get(keyOf(pool)) ?? unreadPages(pool);
    const read = await Promise.all(pages.map((page) => readPage(node, pool, source, page, block)));
    pagesByPool.set(keyOf(pool), read.flat());
    return read.flat().flatMap(({ ticks }) => ticks);
  };
}

function unreadPages({ tickSpacing = 1 }: PoolIdentity): readonly Page[] {
  const last = Math.floor(MAX_TICK / tickSpacing);
  const firstWord = Math.floor(-last / TICKS_PER_WORD);
  const endWord = Math.floor(last / TICKS_PER_WORD) + 1;
  const count = Math.ceil((endWord - firstWord) / MAX_WORDS_PER_PAGE);
  return Array.from({ length: count }, (_, i) => ({
    firstWord: firstWord + i * MAX_WORDS_PER_PAGE,
    endWord: Math.min(endWord, firstWord + (i + 1) * MAX_WORDS_PER_PAGE),
    hash: zeroHash,
    ticks: [],
  }));
}

/** Reads a page. If one call cannot return all its ticks, splits the page. */
async function readPage(
  node: NodeClient,
  pool: PoolIdentity,
  source: TickSource,
  page: Page,
  block: BlockId,
): Promise<readonly Page[]> {
  const { firstWord, endWord, hash } = page;
  const from = {
    ...{ target: pool.address, tickSpacing: pool.tickSpacing ?? 1 },
    readWord: toFunctionSelector(source.readWord),
    readTick: toFunctionSelector(source.readTick),
    bitmapSlot: source.bitmapSlot ?? 0n,
    ticksSlot: source.ticksSlot ?? 0n,
  };
  const code = encodeDeployData({ ...READ_TICKS, args: [from, firstWord, endWord, hash] });
  const [, , isKnown, end, packed] = decodeAbiParameters(TICKS_RESULT, await node.run(code, block));
  if (isKnown) return [page];
  const read = { firstWord, endWord: Number(end), hash: keccak256(packed), ticks: unpack(packed) };
  if (read.endWord >= endWord) return [read];
  const rest = { firstWord: read.endWord, endWord, hash: zeroHash, ticks: [] };
  return [read, ...(await readPage(node, pool, source, rest, block))];
}

function unpack(packed: Hex): FileTicks {
  return Array.from({ length: sizeOf(packed) / TICK_BYTES }, (_, i) => {
    const tick = slice(packed, i * TICK_BYTES, (i + 1) * TICK_BYTES);
    return {
      index: hexToNumber(slice(tick, 0, 3), { signed: true, size: 3 }),
      liquidityGross: `${BigInt(slice(tick, 19, 35))}`,
      liquidityNet: `${BigInt.asIntN(128, BigInt(slice(tick, 3, 19)))}`,
    };
  });
}
