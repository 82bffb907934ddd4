import type { Address } from '../domain/address.ts';

/** What every pool has, whatever its curve. */
type PoolIdentity = {
  readonly address: Address;
  /** Name of the liquidity source, as it stands in `routes[].name`. */
  readonly source: string;
  /** `token0 < token1`, as the factories sort them. */
  readonly token0: Address;
  readonly token1: Address;
  /** Fee in millionths of the input: 3000 is 0.3 %. */
  readonly feePips: number;
};

/** A Uniswap V2 pair: `x * y = k`. Reserves are base units, each below 2^112. */
export type ConstantProductPool = PoolIdentity & {
  readonly family: 'constant-product';
  readonly reserve0: bigint;
  readonly reserve1: bigint;
};

/** An initialised tick. `liquidityNet` is added when the price crosses it upwards. */
export type Tick = {
  readonly index: number;
  readonly liquidityGross: bigint;
  readonly liquidityNet: bigint;
};

/** A Uniswap V3 pool: liquidity in ranges between ticks. */
export type ConcentratedPool = PoolIdentity & {
  readonly family: 'concentrated';
  readonly tickSpacing: number;
  /** Square root of the price token1/token0 in Q64.96. */
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  /** Liquidity in range now. */
  readonly liquidity: bigint;
  /** All initialised ticks, ascending by index. */
  readonly ticks: readonly Tick[];
};

export type Pool = ConstantProductPool | ConcentratedPool;

/**
 * What a pool does with an amount, in base units and exactly as its contract
 * would. `exhausted` means that the liquidity ended first: the amounts are then
 * the most that the pool takes and gives.
 */
export type SwapOutcome = {
  readonly kind: 'filled' | 'exhausted';
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};

/** One family of pools: pure maths on one kind of state. */
export interface PoolFamily<State extends Pool> {
  /** `amountIn` > 0. Output is rounded down, as the contract does. */
  swapExactInput(pool: State, tokenIn: Address, amountIn: bigint): SwapOutcome;
  /** `amountOut` > 0. Input is rounded up, as the contract does. */
  swapExactOutput(pool: State, tokenIn: Address, amountOut: bigint): SwapOutcome;
  /** Output per input for an infinitesimal trade at the pool's present state, fee taken; base units, as a float for search and prices only. */
  marginalPrice(pool: State, tokenIn: Address): number;
  /** The pool after `tokenIn` of a filled swap went in: for price impact and split search. */
  afterExactInput(pool: State, tokenIn: Address, amountIn: bigint): State;
}

/**
 * Returns whether a swap that sells `tokenIn` sells token0 (`true`) or token1.
 *
 * @throws {TokenNotInPoolError} if the pool holds no `tokenIn`
 */
export function isZeroForOne(pool: Pool, tokenIn: Address): boolean {
  if (tokenIn === pool.token0) return true;
  if (tokenIn === pool.token1) return false;
  throw new TokenNotInPoolError(pool.address, tokenIn);
}

/** Thrown when a pool is asked to swap a token that it does not hold. */
export class TokenNotInPoolError extends Error {
  override readonly name = 'TokenNotInPoolError';

  constructor(pool: Address, token: Address) {
    super(`pool ${pool} holds no ${token}`);
  }
}
