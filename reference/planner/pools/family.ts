import type { Static, TSchema } from '../../../conformance/contract/schema.ts';
import type { Address } from '../domain/address.ts';
import type { PoolIdentity, SwapOutcome } from './pool.ts';
import type { Segment } from './segment.ts';

/**
 * One direction of a pool in one state. Amounts are exact base units, as the pool's contract
 * computes them. Rates are floats, for search and display only. A curve caches intermediate
 * results, such as the ticks that a swap crosses.
 */
export interface SwapCurve {
  /** Returns the swap that sells exactly `amountIn` > 0. Its output is rounded down. */
  swapExactInput(amountIn: bigint): SwapOutcome;
  /** Returns the swap that buys exactly `amountOut` > 0. Its input is rounded up. */
  swapExactOutput(amountOut: bigint): SwapOutcome;
  /**
   * Returns the segments that a sale passes through, best rate first. Returns none if nothing can
   * be bought.
   */
  segments(): readonly Segment[];
  /**
   * Returns the gas of one swap and its token transfers, as `eth_estimateGas` reports it when every
   * storage slot is written for the first time. This gas suffices for any starting price within
   * `driftTicks`, at one basis point per tick.
   */
  gas(amountIn: bigint, driftTicks: number): number;
}

/** Everything that differs between pool families. A new family implements only this. */
export interface PoolFamily<State extends PoolIdentity, Schema extends TSchema = TSchema> {
  /**
   * Returns the curve for sales of `tokenIn` for `tokenOut`.
   * @throws {TokenNotInPoolError} if the pool does not hold the token
   */
  curve(pool: State, tokenIn: Address, tokenOut: Address): SwapCurve;
  midPrice(pool: State, known: Address, other: Address): MidPrice;
  /** Fee in millionths of the input, possibly with a fraction. For display only. */
  feePips(pool: State): number;
  /** The `details` of a route in a response: fields that an encoder needs besides addresses. */
  details(pool: State): Readonly<Record<string, unknown>>;

  /** Schema of the pool in a market file. */
  readonly schema: Schema;
  /**
   * @throws {MarketFileError} if parts of `file`, at the JSON pointer `at`, contradict each other
   */
  parse(file: Static<Schema>, at: string, decimalsOf: (token: string) => number): State;
  readonly live: LiveReads<Static<Schema>>;

  /** Settlement of a swap by our routers. */
  readonly graphRouter: GraphSettlement<State>;
  /**
   * Settlement of a swap by the Universal Router; `undefined` if it does not support such pools.
   */
  readonly universalRouter: UniversalSettlement<State> | undefined;
}

/** A price without the fee, for display. */
export type MidPrice = {
  /** Base units of the known token per base unit of the other token; 0 if nothing trades. */
  readonly price: number;
  /**
   * Base units of the known token behind the price. Owners of the other token cannot fake these
   * units.
   */
  readonly depth: number;
};

/**
 * A view function to call, declared in Solidity. `of` is the address of its contract; default: the
 * pool.
 */
export type Read = {
  readonly view: string;
  readonly args?: readonly unknown[];
  readonly of?: string;
};

/** Reads the tokens of a two-token pool. */
export const PAIR_TOKENS: readonly Read[] = [
  { view: 'function token0() view returns (address)' },
  { view: 'function token1() view returns (address)' },
];

/** A pool in a pools file. */
export type PoolEntry = {
  readonly address: string;
  readonly source: string;
  readonly feePips?: number;
  readonly key?: PoolKey;
  /** The chain's wrapped native token. */
  readonly wrappedNative: string;
};

/** Identifies a pool at the PoolManager. Only pools without hooks are supported. */
export type PoolKey = {
  /** The lower address; zero represents the native token. */
  readonly currency0: string;
  readonly currency1: string;
  readonly fee: number;
  readonly tickSpacing: number;
};

/** Initialized ticks of a pool in a market file, ascending by index. */
export type FileTicks = {
  index: number;
  liquidityGross: string;
  liquidityNet: string;
}[];

/** Reads a pool from a node. `Fixed` is the part of the pool that never changes. */
export interface LiveReads<File, Fixed = Partial<File>> {
  /**
   * Reads of the fixed part, in rounds. A round may depend on the results of the previous rounds.
   */
  readonly identify: readonly ((
    entry: PoolEntry,
    results: readonly unknown[],
  ) => readonly Read[])[];
  /**
   * Returns the fixed part, given the results of all rounds; `undefined` if the pool is not of this
   * family.
   */
  identity(entry: PoolEntry, results: readonly unknown[]): Fixed | undefined;
  /** Returns the reads that are needed at every block. */
  reads(fixed: Fixed): readonly Read[];
  /** Returns the pool for a market file. `ticks` is empty unless the family reads ticks. */
  state(fixed: Fixed, results: readonly unknown[], ticks: FileTicks): File;
  /** Only for pools with ticks and a tick bitmap in the format of Uniswap V3. */
  ticks?(fixed: Fixed): TickSource;
}

/**
 * Location of a pool's ticks in a contract. Both functions take an index, or a storage slot if the
 * slots are given.
 */
export type TickSource = {
  /** Declarations of the functions that return a word of the bitmap and a tick. */
  readonly readWord: string;
  readonly readTick: string;
  /** Storage slots of the mappings from index to word and to tick. */
  readonly bitmapSlot?: bigint;
  readonly ticksSlot?: bigint;
};

interface GraphSettlement<State> {
  /**
   * Bits of a swap's first word that are specific to the family.
   *
   * @see ../contracts/Program.sol
   */
  hopBits(pool: State): bigint;
  /**
   * Condition for previous swaps to pay directly into the pool. `always`: the pool sells everything
   * that it receives. `exact-output`: only for exact output, because the pool must know its input.
   */
  readonly paidUpstream: 'always' | 'exact-output' | 'never';
  queryGas?(pool: State): number;
  quote?(pool: State): readonly bigint[];
}

/**
 * The Universal Router settles consecutive swaps by commands of their family, or inside the lock of
 * Uniswap V4's PoolManager.
 */
type UniversalSettlement<State> = PathSettlement<State> | LockSettlement<State>;

interface PathSettlement<State> {
  readonly kind: 'path';
  readonly exactIn: `0x${string}`;
  readonly exactOut: `0x${string}`;
  /** Fee between two tokens of an encoded path. If unset, a path is a list of tokens. */
  pathFee?(pool: State): number;
  /** True if a swap may take less than the offered input when liquidity ends. */
  readonly mayTakeLess: boolean;
}

interface LockSettlement<State> {
  readonly kind: 'lock';
  keyOf(pool: State): PoolKey;
}
