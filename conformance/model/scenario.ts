import type { Address } from './trade-request.ts';

export type Hex = `0x${string}`;

/** A call of one account to another; `value` is in wei. */
export type Call = {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
};

/**
 * State of an account that differs from the chain's. Unlisted parts and slots keep their values.
 */
export type AccountOverride = {
  /** Balance in wei. */
  readonly balance?: bigint;
  readonly nonce?: number;
  readonly code?: Hex;
  /** Values by storage slot; slots and values have 32 bytes. */
  readonly storage?: Readonly<Record<Hex, Hex>>;
};

/** Overrides by account, in lower case. */
export type Overrides = Readonly<Record<Address, AccountOverride>>;

/** Fields of the trade's block, besides its time. */
export type BlockFields = {
  /**
   * Number of the trade's block, at least two more than the forked block. The block in between
   * contains the calls before the trade.
   */
  readonly number: number;
  /** Base fee in wei. The transaction's gas price is twice this. */
  readonly baseFee: bigint;
  readonly coinbase: Address;
  readonly prevRandao: Hex;
  /** Hash of the block before the trade's, which only an Anvil that we start uses. */
  readonly parentHash: Hex;
  /**
   * Secret from which the hashes of the blocks before that one, and the address of the code that
   * reads balances, are derived. No contract sees it, so none can recognize the judge by them.
   */
  readonly salt: Hex;
  readonly gasLimit: bigint;
};

/**
 * One trade under given circumstances, as data: the evidence of a failure, and the input of
 * `replay`. The settlement depends only on these data and on the chain's state at `block`.
 */
export type Scenario = {
  readonly chainId: number;
  /** Number of the block on whose state the trade is settled. */
  readonly block: number;
  /**
   * Unix time of the trade's block, in seconds. Blocks are at least a second apart, so it is at
   * least as many seconds after `block` as it is blocks after it.
   */
  readonly time: number;
  readonly fields: BlockFields;
  /** Balances, approvals and code, by account. */
  readonly overrides: Overrides;
  /**
   * Calls before the trade, in order. Their gas is free. If one fails, the trade is not judged.
   */
  readonly before: readonly Call[];
  readonly trade: Call;
  readonly gas: bigint;
  /** Tokens and accounts whose balances are read before and after the trade. */
  readonly measured: {
    readonly tokens: readonly Address[];
    readonly holders: readonly Address[];
  };
};

/** Identifies a trade that the node did not execute, in `Settlement.error`. */
export const REJECTED = 'rejected-by-node';

export type Settlement = {
  /**
   * `rejected`: the node did not execute the transaction, because its gas is below the minimum, or
   * because of its nonce, fees or funds. No rule is satisfied by such a trade.
   */
  readonly outcome: 'settled' | 'reverted' | 'rejected';
  readonly gasUsed: bigint;
  readonly reason?: string;
  /** Identifies the reason in every run: an error's name, `Panic(17)`, a selector, `out-of-gas`. */
  readonly error?: string;
  /** Return or revert data of the trade, if it was executed and is small enough to be read. */
  readonly returned?: Hex;
  /** Changes in measured balances, excluding the sender's payment for gas. */
  readonly changes: readonly BalanceChange[];
  /** Payments in the order of the transaction. */
  readonly payments: readonly Payment[];
  /** The transaction and its inner calls, if they were traced. */
  readonly calls?: TracedFrame;
};

/** Change in one balance, in base units; undefined if the token does not report the balance. */
export type BalanceChange = {
  readonly token: Address;
  readonly holder: Address;
  readonly amount: bigint | undefined;
};

/** A payment in base units. Wrapping counts as minting, and unwrapping as burning. */
export type Payment = {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  /**
   * Evidence of the payment: a token's transfer event, native tokens sent with a call, or an event
   * of the wrapped native token.
   */
  readonly by: 'transfer' | 'native' | 'wrap';
};

export type Log = {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
  /** Number of inner calls before the event, in a trace. */
  readonly position?: Hex;
};

/** One call of a transaction with its inner calls, in the format of `callTracer`. */
export type TracedFrame = {
  readonly type: string;
  readonly from: Address;
  readonly to?: Address;
  readonly value?: Hex;
  readonly input: Hex;
  readonly gasUsed?: Hex;
  readonly output?: Hex;
  readonly error?: string;
  readonly logs?: readonly Log[];
  readonly calls?: readonly TracedFrame[];
};
