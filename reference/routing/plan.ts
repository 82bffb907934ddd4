import type { Address } from '../domain/address.ts';
import type { Pool } from '../pools/pool.ts';

/** What to trade. Tokens are ERC-20 addresses: native is its wrapped token here. Amounts are base units. */
export type TradeRequest = {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly trade:
    | { readonly kind: 'exact-input'; readonly sellAmount: bigint }
    | { readonly kind: 'exact-output'; readonly buyAmount: bigint };
  readonly capability: RouterCapability;
};

/** What a router can settle, and so what a plan for it may look like. */
export type RouterCapability = {
  /** Names of the liquidity sources the router knows. */
  readonly sources: ReadonlySet<string>;
  /**
   * `graph`: any acyclic plan. `paths`: paths that share no pool, so that only
   * the sell token is split; and with exact output, each path of one pool family.
   */
  readonly shape: 'graph' | 'paths';
};

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
export type Plan = {
  readonly kind: 'plan';
  readonly trade: 'exact-input' | 'exact-output';
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
  readonly swaps: readonly PlanSwap[];
};

/** Why there is no plan. */
export type NoRoute = {
  readonly kind: 'no-route';
  /** `disconnected`: no path of pools. `insufficient-liquidity`: the pools hold or take too little. `dust`: so little that nothing comes out. */
  readonly reason: 'disconnected' | 'insufficient-liquidity' | 'dust';
};
