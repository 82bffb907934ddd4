import type { Address } from '../domain/address.ts';
import type { Token } from '../domain/token.ts';
import type { Pool } from '../pools/families.ts';

/** The state of one chain at one block, as far as the planner reads it. */
export type PoolMarket = {
  readonly chainId: number;
  readonly tokens: ReadonlyMap<Address, Token>;
  readonly pools: readonly Pool[];
  /** The token at 1 USD in which prices are expressed. */
  readonly usdToken: Address;
  readonly wrappedNative: Address;
  /** Price of a unit of gas; unset if unknown. */
  readonly gasPriceWei?: bigint;
};
