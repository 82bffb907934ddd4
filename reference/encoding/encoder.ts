import type { RouterDeployment } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import type { RoutingConstraints, RoutingPlan } from '../planner/graph/plan.ts';
import type { FamilyName } from '../planner/pools/families.ts';

/** How a plan is to be settled. */
export type SettlementOptions = {
  readonly router: RouterDeployment;
  readonly wrappedNative: Address;
  /** The sell side is native: the transaction carries `msg.value`. */
  readonly sellNative: boolean;
  /** The buy side is native: the router unwraps before it pays. */
  readonly buyNative: boolean;
  /** Who sends the transaction. */
  readonly user: Address;
  /** Who receives the buy token; unset, the sender. */
  readonly recipient?: Address;
  /** Slippage tolerance in steps of 0.0001: 0 to 10000, 100 is 1 %. */
  readonly slippageBps: number;
  /** Unix time in seconds after which the calldata must revert. */
  readonly deadline: bigint;
};

/** Calldata for the router and an upper bound of the gas it needs. */
export type Settlement = {
  readonly calldata: `0x${string}`;
  readonly gasLimit: bigint;
};

/** How one router is planned and encoded for. */
export type RouterEncoder = Omit<RoutingConstraints, 'sources'> & {
  /** Whether it can settle swaps of such pools. */
  readonly settles: (family: FamilyName) => boolean;
  readonly encode: (plan: RoutingPlan, options: SettlementOptions) => Settlement;
};

/** Thrown for a plan through a pool that the router knows nothing of: it was planned for another router. */
export class NotSettledError extends Error {
  override readonly name = 'NotSettledError';

  constructor(family: FamilyName | undefined, router: string) {
    super(`the ${router} settles no swap of a ${family} pool`);
  }
}
