import { concat, keccak256, numberToHex } from 'viem';
import type { Hex, Overrides, Scenario } from '../../model/scenario.ts';

/**
 * Contract in which a chain keeps the hashes of its latest blocks.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2935
 */
const BLOCK_HASHES = '0x0000f90827f1c53a10cb7a02335b175320002935';
/**
 * Contract in which a chain keeps the roots of its latest beacon blocks, by the time of the block
 * after them.
 *
 * @see https://eips.ethereum.org/EIPS/eip-4788
 */
const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';
/** Number of blocks in both contracts. */
const KEPT_BLOCKS = 8_191;

/** The node on whose latest block scenarios are settled. */
export type BlockSource = {
  /**
   * Maximum gas of a simulated block. Undefined for an Anvil of ours, which has no limit and
   * accepts the hashes of simulated blocks.
   */
  readonly maxBlockGas?: bigint | undefined;
  /** The latest block, if it is known. */
  readonly block?: { readonly number: number; readonly hash: Hex };
};

/**
 * Returns the hashes of the blocks between the forked block and the trade's block, for an Anvil of
 * ours, which otherwise gives all simulated blocks the same hash. Other nodes reject the key. As on
 * a chain, no contract can compute one of the hashes from the others.
 */
export function hashesIn(
  { maxBlockGas }: BlockSource,
  { block, fields }: Scenario,
): { readonly blockHash?: Readonly<Record<number, Hex>> } {
  if (maxBlockGas !== undefined) return {};
  const hashes: Record<number, Hex> = { [fields.number - 1]: fields.parentHash };
  for (let number = block + 1; number < fields.number - 1; number += 1) {
    hashes[number] = derivedFrom(fields.salt, number);
  }
  return { blockHash: hashes };
}

/**
 * Returns what a chain stores at the start of the trade's block: the hashes of the blocks before
 * it, and a beacon root. Nodes store this by themselves, but an Anvil of ours does not, so a
 * contract could recognize the judge.
 */
export function storedAtBlockStart(source: BlockSource, scenario: Scenario): Overrides {
  const { blockHash } = hashesIn(source, scenario);
  if (blockHash === undefined) return {};
  const { time, block, fields } = scenario;
  const forked = source.block?.number === block ? { [block]: source.block.hash } : {};
  const hashes = Object.entries({ ...forked, ...blockHash }).map(([number, hash]) => [
    word(Number(number) % KEPT_BLOCKS),
    hash,
  ]);
  const at = time % KEPT_BLOCKS;
  const root = { [word(at)]: word(time), [word(at + KEPT_BLOCKS)]: derivedFrom(fields.salt, time) };
  return {
    [BLOCK_HASHES]: { storage: Object.fromEntries(hashes) },
    [BEACON_ROOTS]: { storage: root },
  };
}

function derivedFrom(salt: Hex, number: number): Hex {
  return keccak256(concat([salt, word(number)]));
}

function word(number: number): Hex {
  return numberToHex(number, { size: 32 });
}
