import type { Address } from '../domain/address.ts';
import type { Pool } from '../pools/families.ts';

/** Which side of a swap is exact: what is sold, or what is bought. */
export type SwapKind = 'exact-input' | 'exact-output';

/** The exact side of a swap, in base units. */
export type SwapAmount = { readonly swapKind: SwapKind; readonly amount: bigint };

/** What to plan. Tokens are ERC-20 addresses: native is its wrapped token here. */
export type RoutingRequest = SwapAmount & {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly constraints: RoutingConstraints;
  /** What a unit of gas costs; with 0 plans are made for their amounts alone. Default: that of the market, else 0. */
  readonly gasPriceWei?: bigint;
  /** How many solutions are looked at where circles of trades pay. Default: 160, fewer where there are many pools. */
  readonly maxSolutions?: number;
};

/** What a router can settle, and so what a plan for it may look like. */
export type RoutingConstraints = {
  /** Names of the liquidity sources the router knows. */
  readonly sources: ReadonlySet<string>;
  readonly topology: Topology;
  /** How many swaps one transaction can settle; default any number. */
  readonly maxSwaps?: number;
  /** Gas that the router uses for a swap beside what the pool and its tokens do; default none. */
  readonly swapGas?: SwapGas;
};

/** Gas of a router for a swap of the sell token, and for any other. */
export type SwapGas = { readonly first: number; readonly later: number };

/**
 * How swaps may join. `graph`: any acyclic plan. `paths`: paths that share no
 * pool, so that only the sell token is split; and with exact output, each path of
 * one pool family, that neither sells native nor goes from native to its wrapped token.
 */
export type Topology = (typeof TOPOLOGIES)[number];

/** Every topology: each has its search. */
export const TOPOLOGIES = ['graph', 'paths'] as const;

/** One swap of a plan through one pool. Amounts are base units, exactly what the pool's contract does. */
export type PlanSwap = {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};

/**
 * An acyclic plan. What flows into every token equals what flows out of it, to
 * the base unit; no pool is used twice; swaps are in topological order.
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

/** A plan, and what it could be at best. */
export type ProvenPlan = RoutingPlan & { readonly proof: Proof; readonly gas: PlanGas };

/** The gas of a plan's swaps, without what every trade costs. */
export type PlanGas = {
  readonly units: bigint;
  /** What it was planned with; 0 if no gas price is known, or it was not to be counted. */
  readonly priceWei: bigint;
  /** What it costs, rounded up: of the buy token with exact input, of the sell token with exact output. Unset where the market has no price for it. */
  readonly cost?: bigint;
};

/** What no acyclic plan betters: floats, in base units. */
export type Proof = {
  /** With exact input the most that can be bought, infinite if none is known; with exact output the least that can be sold. */
  readonly bound: number;
  /** How far the plan is from the bound, as part of it; below 0 only by what floats round. */
  readonly gap: number;
};

/** Why there is no plan. */
export type NoRoute = {
  readonly kind: 'no-route';
  /** `disconnected`: no path of pools. `insufficient-liquidity`: the pools hold or take too little. `dust`: so little that nothing comes out. */
  readonly reason: 'disconnected' | 'insufficient-liquidity' | 'dust';
};
