import type { Address } from '../domain/address.ts';
import type { Token } from '../domain/token.ts';
import type { Pool } from '../pools/families.ts';

/** The part of a chain's state, at one block, that the planner reads. */
export type PoolMarket = {
  readonly chainId: number;
  readonly tokens: ReadonlyMap<Address, Token>;
  readonly pools: readonly Pool[];
  /** Token whose price is defined as 1 USD. Other prices are computed relative to this token. */
  readonly usdToken: Address;
  readonly wrappedNative: Address;
  /** Price of a unit of gas; unset if unknown. */
  readonly gasPriceWei?: bigint;
};
