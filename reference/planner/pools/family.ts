import type { Static, TSchema } from '../../../conformance/contract/schema.ts';
import type { Address } from '../domain/address.ts';
import type { PoolIdentity, SwapOutcome } from './pool.ts';
import type { Segment } from './segment.ts';

/**
 * One direction of a pool in one state. Amounts are exact base units, as the pool's
 * contract computes them; rates are floats, for search and display only. What is
 * worked out along the way, such as the ticks that a swap crosses, lives as long as
 * the curve.
 */
export interface SwapCurve<State> {
  /** Returns what selling exactly `amountIn` > 0 buys, rounded down. */
  swapExactInput(amountIn: bigint): SwapOutcome;
  /** Returns what buying exactly `amountOut` > 0 costs, rounded up. */
  swapExactOutput(amountOut: bigint): SwapOutcome;
  /** Returns the output per input of an infinitesimal sale, after the fee; 0 if nothing can be bought. */
  marginalPrice(): number;
  /** Returns the pool after what it takes of `amountIn`. */
  afterExactInput(amountIn: bigint): State;
  /** Returns the segments that a sale walks through, best rate first; none if nothing can be bought. */
  segments(): readonly Segment[];
  /**
   * Returns the gas of one swap with its token transfers, for any starting price within
   * `driftTicks` (a tick is a basis point), as `eth_estimateGas` sees it when every
   * slot is written for the first time.
   */
  gas(amountIn: bigint, driftTicks: number): number;
}

/** Everything that differs between families of pools: a new family is complete once this is filled. */
export interface PoolFamily<State extends PoolIdentity, Schema extends TSchema = TSchema> {
  /**
   * Returns the curve of a sale of `tokenIn` for `tokenOut`.
   *
   * @throws {TokenNotInPoolError} if the pool does not hold the token
   */
  curve(pool: State, tokenIn: Address, tokenOut: Address): SwapCurve<State>;
  midPrice(pool: State, known: Address, other: Address): MidPrice;
  /** Fee in millionths of the input, possibly with a fraction; for display. */
  feePips(pool: State): number;
  /** `details` of a response's order: what an encoder needs besides addresses. */
  details(pool: State): Readonly<Record<string, unknown>>;

  /** Schema of the pool in a market file. */
  readonly schema: Schema;
  /** @throws {MarketFileError} if parts of `file`, at the JSON pointer `at`, contradict each other */
  parse(file: Static<Schema>, at: string, decimalsOf: (token: string) => number): State;
  readonly live: LiveReads<Static<Schema>>;

  /** How our own routers settle a swap. */
  readonly graphRouter: GraphSettlement<State>;
  /** How the Universal Router settles a swap; `undefined` if it does not know such pools. */
  readonly universalRouter: UniversalSettlement<State> | undefined;
}

/** A price without the fee, for display. */
export type MidPrice = {
  /** Base units of the known token for one of the other; 0 if nothing trades. */
  readonly price: number;
  /** Base units of the known token that back the price: an owner of the other token cannot forge it. */
  readonly depth: number;
};

/** A view function to call, as declared in Solidity; `of` is its contract, by default the pool. */
export type Read = {
  readonly view: string;
  readonly args?: readonly unknown[];
  readonly of?: string;
};

/** Reads of the tokens of a two-token pool. */
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

/** Identifies a pool of the PoolManager, together with its hooks, which it must not have. */
export type PoolKey = {
  /** The lower address; zero is native. */
  readonly currency0: string;
  readonly currency1: string;
  readonly fee: number;
  readonly tickSpacing: number;
};

/** Initialised ticks of a pool in a market file, ascending by index. */
export type FileTicks = {
  index: number;
  liquidityGross: string;
  liquidityNet: string;
}[];

/** How a pool is read from a node; `Fixed` is the part of its state that never changes. */
export interface LiveReads<File, Fixed = Partial<File>> {
  /** Reads of the fixed part, in rounds: each may depend on the results of the rounds before. */
  readonly identify: readonly ((
    entry: PoolEntry,
    results: readonly unknown[],
  ) => readonly Read[])[];
  /** Returns the fixed part from the results of all rounds; `undefined` if the pool is not of the family. */
  identity(entry: PoolEntry, results: readonly unknown[]): Fixed | undefined;
  /** Reads at every block. */
  reads(fixed: Fixed): readonly Read[];
  /** Returns the pool for a market file; `ticks` is empty unless the family reads ticks. */
  state(fixed: Fixed, results: readonly unknown[], ticks: FileTicks): File;
  /** Only for pools with ticks and a bitmap of them, as Uniswap V3 has. */
  ticks?(fixed: Fixed): TickSource;
}

/** Where a contract has the ticks of a pool. Its functions take an index, or a storage slot if slots are given. */
export type TickSource = {
  /** Declarations of the functions that return a word of the bitmap and a tick. */
  readonly readWord: string;
  readonly readTick: string;
  /** Slots of the mappings from index to word and to tick. */
  readonly bitmapSlot?: bigint;
  readonly ticksSlot?: bigint;
};

/** How `GraphRouter` settles a swap. */
interface GraphSettlement<State> {
  /**
   * The family's own bits of a swap's first word.
   *
   * @see ../contracts/Program.sol
   */
  hopBits(pool: State): bigint;
  /** When previous swaps may pay directly into the pool: if its need is known, or if it sells all that it finds. */
  readonly paidUpstream: 'always' | 'exact-output' | 'never';
  /** Gas of querying the input of an exact output, for pools that do not report it during the swap. */
  askGas?(pool: State): number;
  /** Words that the router passes to the pool; default none. */
  quote?(pool: State): readonly bigint[];
}

/** How the Universal Router settles consecutive swaps: by commands of the family, or within the lock of Uniswap V4's manager. */
type UniversalSettlement<State> = PathSettlement<State> | LockSettlement<State>;

/** Settlement by a command for exact input and one for exact output. */
interface PathSettlement<State> {
  readonly kind: 'path';
  /** Command bytes. */
  readonly exactIn: `0x${string}`;
  readonly exactOut: `0x${string}`;
  /** Fee between two tokens of an encoded path; without it, a path is a list of tokens. */
  pathFee?(pool: State): number;
  /** Whether a swap takes less than it is offered when liquidity ends. */
  readonly mayTakeLess: boolean;
}

/** Settlement by `V4_SWAP`. */
interface LockSettlement<State> {
  readonly kind: 'lock';
  keyOf(pool: State): PoolKey;
}
