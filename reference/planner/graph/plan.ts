import type { Address } from '../domain/address.ts';
import type { Pool } from '../pools/families.ts';

/** The side of a swap that is exact. */
export type SwapKind = 'exact-input' | 'exact-output';

/** The exact side of a swap, in base units. */
export type SwapAmount = { readonly swapKind: SwapKind; readonly amount: bigint };

/**
 * A trade to plan. Tokens are ERC-20 addresses; the wrapped token also represents the native token.
 */
export type RoutingRequest = SwapAmount & {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly constraints: RoutingConstraints;
  /**
   * Price of a unit of gas; 0 ignores gas. Default: the market's gas price, or 0 if it is unknown.
   */
  readonly gasPriceWei?: bigint;
  /**
   * Maximum number of relaxations that branch and bound solves if a cycle is profitable. Default:
   * 160, or fewer in large markets.
   */
  readonly maxSolutions?: number;
};

/** Limits of a router. */
export type RoutingConstraints = {
  /** Names of the liquidity sources that the router supports. */
  readonly sources: ReadonlySet<string>;
  readonly topology: Topology;
  /** Maximum number of swaps in a transaction. Default: unlimited. */
  readonly maxSwaps?: number;
  /** Gas that the router itself uses per swap. Default: none. */
  readonly swapGas?: SwapGas;
};

/** Router gas for a swap that sells the sell token, and for any other swap. */
export type SwapGas = { readonly first: number; readonly later: number };

/** All topologies. Each has its own search. */
export const TOPOLOGIES = ['graph', 'paths'] as const;

/**
 * Permitted structure of a plan. `graph`: any acyclic plan. `paths`: paths that share no pool, so
 * only the sell token is split. With exact output, each path also stays within one pool family,
 * does not sell the native token, and does not convert between the native token and its wrapped
 * form.
 */
export type Topology = (typeof TOPOLOGIES)[number];

/**
 * One swap through one pool. Amounts are in base units, exactly as the pool's contract computes
 * them.
 */
export type PlanSwap = {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};

/**
 * An acyclic plan. Each intermediate token's inflow equals its outflow to the base unit, no pool is
 * used twice, and swaps are in topological order.
 */
export type RoutingPlan = {
  readonly kind: 'plan';
  readonly swapKind: SwapKind;
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
  readonly swaps: readonly PlanSwap[];
};

/** A plan with its gas, and with a bound that shows how close it is to the best plan. */
export type ProvenPlan = RoutingPlan & { readonly proof: Proof; readonly gas: PlanGas };

/** Gas of a plan's swaps, without the base cost of the transaction. */
export type PlanGas = {
  readonly units: bigint;
  /** Gas price for which the plan was made; 0 if unknown or ignored. */
  readonly priceWei: bigint;
  /**
   * Gas cost, rounded up, in the buy token for exact input or in the sell token for exact output.
   * Unset if the market has no price for that token.
   */
  readonly cost?: bigint;
};

/** A bound on all acyclic plans, as a float in base units. */
export type Proof = {
  /**
   * Upper bound on the output with exact input, infinite if unknown; lower bound on the input with
   * exact output.
   */
  readonly bound: number;
  /**
   * Difference between the plan and the bound, relative to the larger of the two. A gap is negative
   * only due to float rounding.
   */
  readonly gap: number;
};

/** Reason why there is no plan. */
export type NoRoute = {
  readonly kind: 'no-route';
  /**
   * `disconnected`: no path of pools connects the tokens. `insufficient-liquidity`: the pools hold
   * or take too little. `dust`: the amount buys nothing.
   */
  readonly reason: 'disconnected' | 'insufficient-liquidity' | 'dust';
};
