import type { Address } from './address.ts';

/** An ERC-20 token. `decimals` is from 0 to 18. */
export type Token = {
  readonly address: Address;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logoURI: string;
};
