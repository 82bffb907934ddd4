import { type Hex, keccak256, pad, toHex } from 'viem';
import { type Address, parseAddress } from '../../planner/domain/address.ts';
import type { ConcentratedPool } from '../../planner/pools/concentrated.ts';
import type { ConstantProductPool } from '../../planner/pools/constant-product.ts';
import {
  concentratedPool,
  constantProductPool,
  token0,
  token1,
} from '../../planner/pools/pools.testing.ts';
import type { Market } from '../market.ts';
import { entryOf, type PoolsFile, parsePoolsFile } from './pools-file.ts';

export type SimulatedPool = ConstantProductPool | ConcentratedPool;

/** A block with the state of all pools after it. */
export type SimulatedBlock = {
  readonly number: number;
  readonly timestamp: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly pools: readonly SimulatedPool[];
};

export const CHAIN_ID = 78;
/** Two words of a bitmap cover all ticks at this spacing. */
export const TICK_SPACING = 10_000;
export const GAS_PRICE_WEI = 1_500_000_007n;

const addressOf = (digits: number): Address =>
  parseAddress(`0x${digits.toString(16).padStart(40, '0')}`);

const TOKEN = { name: 'Token', symbol: 'TKN', decimals: 18, logoURI: 'https://logo.test' };
/** All pools trade the same two tokens. */
export const TOKENS = new Map(
  [token0, token1].map((address) => [address, { address, ...TOKEN }] as const),
);

const ROUTERS: Market['routers'] = [
  { name: 'default-router', address: addressOf(0x300), sources: ['Test'] },
];

/** A chain of pools, whose blocks can be replaced. */
export class SimulatedChain {
  readonly blocks = new Map<Hex, SimulatedBlock>();
  readonly file: PoolsFile;
  head: SimulatedBlock;

  /** @param timestamp - Time of the first block in Unix seconds. */
  constructor({ pairs = 1, concentrated = 2, timestamp = 0 } = {}) {
    const pools = [
      ...Array.from({ length: pairs }, () => constantProductPool(10n ** 20n, 10n ** 20n)),
      ...Array.from({ length: concentrated }, () =>
        concentratedPool([], 1n << 96n, { tickSpacing: TICK_SPACING }),
      ),
    ].map((pool, i) => ({ ...pool, address: addressOf(0x100 + i), source: 'Test' }));
    this.file = parsePoolsFile({
      format: 1,
      chainId: CHAIN_ID,
      name: 'Simulated',
      usdToken: token0,
      wrappedNative: token1,
      logos: { [token0]: TOKEN.logoURI, [token1]: TOKEN.logoURI },
      pools: pools.map(entryOf),
      routers: ROUTERS,
    });
    this.head = this.#add({ number: 0, timestamp, parentHash: pad('0x'), pools });
  }

  /** Adds a block with these pools after `parent`. The new block becomes the head. */
  mine(
    pools: readonly SimulatedPool[] = this.head.pools,
    parent: SimulatedBlock = this.head,
    timestamp: number = parent.timestamp + 1,
  ): SimulatedBlock {
    const { number, hash } = parent;
    this.head = this.#add({ number: number + 1, timestamp, parentHash: hash, pools });
    return this.head;
  }

  /** Returns the block that is `steps` blocks before `block`, or the chain's first block. */
  before(block: SimulatedBlock, steps: number): SimulatedBlock {
    const parent = steps > 0 ? this.blocks.get(block.parentHash) : undefined;
    return parent === undefined ? block : this.before(parent, steps - 1);
  }

  /** Returns the market at a block. */
  marketAt(blockHash: string): Market | undefined {
    const block = this.blocks.get(blockHash as Hex);
    if (block === undefined) return undefined;
    const { number, timestamp, hash, pools } = block;
    const { chainId, name } = this.file;
    return {
      ...{ chainId, name, pools, usdToken: token0, wrappedNative: token1, tokens: TOKENS },
      block: { number, timestamp, hash },
      gasPriceWei: GAS_PRICE_WEI,
      routers: ROUTERS,
    };
  }

  #add(block: Omit<SimulatedBlock, 'hash'>): SimulatedBlock {
    const hash = keccak256(toHex(`${CHAIN_ID} ${this.blocks.size}`));
    this.blocks.set(hash, { ...block, hash });
    return { ...block, hash };
  }
}
