import type { Address } from './trade-request.ts';

/** Bytes in hexadecimal. */
export type Hex = `0x${string}`;

/** A call of one account to another; `value` is in wei. */
export type Call = {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
};

/** Parts of an account's state that differ from the chain. Unlisted parts and slots keep their values. */
export type AccountOverride = {
  /** Balance in wei. */
  readonly balance?: bigint;
  readonly nonce?: number;
  readonly code?: Hex;
  /** Values of storage slots; slots and values have 32 bytes. */
  readonly storage?: Readonly<Record<Hex, Hex>>;
};

/** Fields of the trade's block, besides number and time. A field that is unset has the value of the forked block. */
export type BlockFields = {
  /** In wei. */
  readonly baseFee?: bigint;
  readonly coinbase?: Address;
  readonly prevRandao?: Hex;
  readonly gasLimit?: bigint;
};

/**
 * One trade under given circumstances. It is data: the evidence of a failure, and the input of
 * `replay`. Nothing outside it influences the settlement, except for the chain's state at `block`.
 */
export type Scenario = {
  readonly chainId: number;
  /** Number of the block on whose state the trade is settled. */
  readonly block: number;
  /** Time of the trade's block, in Unix seconds. */
  readonly time: number;
  readonly fields: BlockFields;
  /** Balances, approvals and code, by account. */
  readonly overrides: Readonly<Record<Address, AccountOverride>>;
  /** Calls before the trade, in order. If one fails, the trade is not settled. */
  readonly before: readonly Call[];
  readonly trade: Call;
  /** Gas limit of the trade. */
  readonly gas: bigint;
  /** Tokens and accounts whose balances are read before and after the trade. */
  readonly measured: {
    readonly tokens: readonly Address[];
    readonly holders: readonly Address[];
  };
};
