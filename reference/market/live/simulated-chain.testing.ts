import { type Address, type Hex, keccak256, pad, toHex } from 'viem';
import { sqrtRatioAtTick } from '../../planner/pools/tick-math.ts';
import type { Market } from '../market.ts';
import { parseMarket } from '../parse-market.ts';
import { type PoolsFile, parsePoolsFile } from './pools-file.ts';

/** State of a simulated pool. */
type PoolState =
  | { readonly family: 'constant-product'; readonly reserve0: bigint; readonly reserve1: bigint }
  | {
      readonly family: 'concentrated';
      readonly tick: number;
      readonly ticks: ReadonlyMap<number, { readonly gross: bigint; readonly net: bigint }>;
    };

/** Change of a pool in a block. */
export type Action = { readonly pool: Address } & (
  | { readonly kind: 'trade'; readonly reserve0: bigint; readonly reserve1: bigint }
  | { readonly kind: 'move'; readonly tick: number }
  /** A position is opened or, with a negative amount, closed. */
  | {
      readonly kind: 'position';
      readonly lower: number;
      readonly upper: number;
      readonly amount: bigint;
    }
);

/** A block with the whole state after it. */
export type SimulatedBlock = {
  readonly number: number;
  readonly timestamp: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly pools: ReadonlyMap<Address, PoolState>;
};

export const CHAIN_ID = 78;
/** So wide that two words of a bitmap cover all ticks. */
export const TICK_SPACING = 10_000;
export const FEE_PIPS = 3000;
export const GAS_PRICE_WEI = 1_500_000_007n;

/** Returns an address that ends in these digits. */
export const addressOf = (digits: number): Address => `0x${digits.toString(16).padStart(40, '0')}`;

export const TOKENS = [addressOf(1), addressOf(2)] as const;

/** A chain of pools that all trade the same two tokens. */
export class SimulatedChain {
  readonly blocks = new Map<Hex, SimulatedBlock>();
  readonly file: PoolsFile;
  head: SimulatedBlock;
  #mined = 0;

  /** Starts with these numbers of pools, at a time in Unix seconds. */
  constructor({ pairs = 1, concentrated = 2, timestamp = 0 } = {}) {
    const pools = new Map<Address, PoolState>();
    for (let i = 0; i < pairs; i++) {
      pools.set(addressOf(0x100 + i), {
        family: 'constant-product',
        reserve0: 10n ** 20n,
        reserve1: 10n ** 20n,
      });
    }
    for (let i = 0; i < concentrated; i++) {
      pools.set(addressOf(0x200 + i), { family: 'concentrated', tick: 0, ticks: new Map() });
    }
    this.file = parsePoolsFile({
      format: 1,
      chainId: CHAIN_ID,
      name: 'Simulated',
      usdToken: TOKENS[0],
      wrappedNative: TOKENS[1],
      logos: Object.fromEntries(TOKENS.map((token) => [token, 'https://logo.test'])),
      pools: [...pools].map(([address, { family }]) => ({ family, address, source: 'Test' })),
      routers: [{ name: 'default-router', address: addressOf(0x300), sources: ['Test'] }],
    });
    this.head = this.#add({ number: 0, timestamp, parentHash: pad('0x'), pools });
  }

  /** Adds a block on `parent`, which becomes the head. */
  mine(
    actions: readonly Action[] = [],
    parent: SimulatedBlock = this.head,
    timestamp: number = parent.timestamp + 1,
  ): SimulatedBlock {
    const pools = new Map<Address, PoolState>(parent.pools);
    for (const action of actions) {
      pools.set(action.pool, stateAfter(pools.get(action.pool) as PoolState, action));
    }
    const { number, hash } = parent;
    this.head = this.#add({ number: number + 1, timestamp, parentHash: hash, pools });
    return this.head;
  }

  /** Returns the block that is `steps` blocks before another, at most back to the first. */
  before(block: SimulatedBlock, steps: number): SimulatedBlock {
    const parent = steps > 0 ? this.blocks.get(block.parentHash) : undefined;
    return parent === undefined ? block : this.before(parent, steps - 1);
  }

  /** Returns the market at a block. */
  marketAt(hash: string): Market | undefined {
    const block = this.blocks.get(hash as Hex);
    if (block === undefined) return undefined;
    const { number, timestamp } = block;
    const { format, chainId, name, usdToken, wrappedNative, routers } = this.file;
    const identity = { source: 'Test', token0: TOKENS[0], token1: TOKENS[1], feePips: FEE_PIPS };
    return parseMarket({
      ...{ format, chainId, name, usdToken, wrappedNative, routers },
      block: { number, timestamp, hash },
      gasPriceWei: String(GAS_PRICE_WEI),
      tokens: TOKENS.map((address) => ({
        ...{ address, name: 'Token', symbol: 'TKN', decimals: 18, logoURI: 'https://logo.test' },
      })),
      pools: [...block.pools].map(([address, pool]) => {
        if (pool.family === 'constant-product') {
          const [reserve0, reserve1] = [String(pool.reserve0), String(pool.reserve1)];
          return { family: pool.family, address, ...identity, reserve0, reserve1 };
        }
        const ticks = [...pool.ticks].sort(([a], [b]) => a - b);
        return {
          ...{ family: pool.family, address, ...identity, tickSpacing: TICK_SPACING },
          tick: pool.tick,
          sqrtPriceX96: String(sqrtRatioAtTick(pool.tick)),
          liquidity: String(liquidityOf(pool)),
          ticks: ticks.map(([index, { gross, net }]) => ({
            ...{ index, liquidityGross: String(gross), liquidityNet: String(net) },
          })),
        };
      }),
    });
  }

  #add(block: Omit<SimulatedBlock, 'hash'>): SimulatedBlock {
    const hash = keccak256(toHex(`${CHAIN_ID} ${this.#mined++}`));
    this.blocks.set(hash, { ...block, hash });
    return { ...block, hash };
  }
}

/** Returns the liquidity at the price of a pool. */
export function liquidityOf({ tick, ticks }: PoolState & { family: 'concentrated' }): bigint {
  return [...ticks].reduce((sum, [index, { net }]) => (index <= tick ? sum + net : sum), 0n);
}

function stateAfter(pool: PoolState, action: Action): PoolState {
  if (pool.family === 'constant-product') {
    return action.kind === 'trade' ? { ...pool, ...action, family: pool.family } : pool;
  }
  if (action.kind === 'move') return { ...pool, tick: action.tick };
  if (action.kind !== 'position') return pool;
  const ticks = new Map(pool.ticks);
  for (const [index, net] of [
    [action.lower, action.amount],
    [action.upper, -action.amount],
  ] as const) {
    const before = ticks.get(index) ?? { gross: 0n, net: 0n };
    const gross = before.gross + action.amount;
    if (gross === 0n) ticks.delete(index);
    else ticks.set(index, { gross, net: before.net + net });
  }
  return { ...pool, ticks };
}
