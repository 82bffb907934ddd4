import type { RouterDeployment } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import type { RoutingConstraints, RoutingPlan } from '../planner/graph/plan.ts';
import type { FamilyName } from '../planner/pools/families.ts';

/** Terms on which a router settles a plan. */
export type SettlementOptions = {
  readonly router: RouterDeployment;
  readonly wrappedNative: Address;
  /** True if the native token is sold: the transaction carries `msg.value`. */
  readonly sellNative: boolean;
  /** True if the native token is bought: the router unwraps before it pays. */
  readonly buyNative: boolean;
  /** Sender of the transaction. */
  readonly user: Address;
  /** Recipient of the buy token. Default: the sender. */
  readonly recipient?: Address;
  /** Slippage tolerance in steps of 0.0001, 0 to 10000; 100 is 1%. */
  readonly slippageBps: number;
  /** Unix seconds after which the calldata must revert. */
  readonly deadline: bigint;
};

/** Calldata for the router, and an upper bound on the transaction's gas. */
export type Settlement = {
  readonly calldata: `0x${string}`;
  readonly gasLimit: bigint;
};

/** Limits on plans for one router, and the function that encodes them. */
export type RouterEncoder = Omit<RoutingConstraints, 'sources'> & {
  /** True if the router can settle swaps of this pool family. */
  readonly settles: (family: FamilyName) => boolean;
  readonly encode: (plan: RoutingPlan, options: SettlementOptions) => Settlement;
};

/** Thrown for a plan through a pool that the router does not support. */
export class NotSettledError extends Error {
  override readonly name = 'NotSettledError';

  constructor(family: FamilyName | undefined, router: string) {
    super(`the ${router} cannot settle a swap through a ${family} pool`);
  }
}

/**
 * Thrown for a plan that does not fit into the fields of a router's calldata. A smaller trade may
 * fit.
 */
export class PlanTooLargeError extends Error {
  override readonly name = 'PlanTooLargeError';

  /** @param found - What does not fit. `expected` is its limit. */
  constructor(found: string, expected: string) {
    super(`the router cannot settle ${found}: expected ${expected}`);
  }
}
