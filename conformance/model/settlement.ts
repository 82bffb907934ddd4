import type { Exchange } from '../client/exchange.ts';
import { type Address, describeTrade, type TradeRequest } from './trade-request.ts';

export type TokenAmount = { readonly token: Address; readonly amount: bigint };

export type SwapStep = {
  /** As the service spells it, in lower case; not always an address. */
  readonly pool: string;
  readonly source: string;
  /** What the service says besides, for encoders. */
  readonly details?: unknown;
  readonly from: readonly TokenAmount[];
  readonly to: readonly TokenAmount[];
};

/** A plan that a service returned, with all that is needed to settle it. */
export type SwapPlan = {
  readonly sell: TokenAmount;
  readonly buy: TokenAmount;
  readonly steps: readonly SwapStep[];
  /** Tokens of the plan, each once. */
  readonly tokens: readonly Address[];
  /** Decimal places of each token, where the plan tells a number. */
  readonly decimals: ReadonlyMap<Address, number>;
  readonly transaction: Transaction | undefined;
};

/** The transaction that a service says settles its plan. */
export type Transaction = {
  readonly router: Address;
  readonly calldata: `0x${string}`;
  readonly gasLimit: bigint;
};

/** A plan, and what came of it on a fork. */
type Tried = {
  readonly request: TradeRequest;
  readonly exchange: Exchange;
  readonly plan: SwapPlan;
  readonly effects: Effects;
};

/** One plan, settled on a fork with all the gas it wanted. */
export type SettledPlan = Tried & {
  readonly transaction: Transaction;
  /** Whether the market stood still between the quote and the fork. */
  readonly unmoved: boolean;
  /** Whether there is a contract at the router's address. */
  readonly routerHasCode: boolean;
  /** Decimal places that tokens of the plan tell themselves. */
  readonly decimalsOnChain: ReadonlyMap<Address, number>;
  /** Addresses of pools of the plan where no contract is. */
  readonly poolsWithoutCode: readonly Address[];
  /** How often calldata for the same trade reverted before, while the market may have moved. */
  readonly failedBefore: number;
  /** The most gas that a block of the chain holds, where that could be read. */
  readonly blockGasLimit: bigint | undefined;
  /** The most gas that a transaction of the chain may be given, where its node tells one. */
  readonly transactionGasCap: bigint | undefined;
  /**
   * What an exact input of the plan yields on the same block in another way, in base
   * units: through its pools alone, or by the service's calldata where the plan was
   * encoded by us; undefined where the market stood still, or where that is not known.
   */
  readonly yieldBeside: bigint | undefined;
  /**
   * What the pools of an exact output's plan give alone, on the same block, for what it
   * quotes and for what was spent; undefined where no more was spent than quoted, or
   * where that is not known.
   */
  readonly poolsGive?: { readonly forQuoted: bigint; readonly forSpent: bigint } | undefined;
  /** What it did a minute later. */
  readonly effectsLater: Effects;
  /** What it did as a real transaction within the gas limit; undefined where it was not sent. */
  readonly mined: Mined | undefined;
  /** Whose holdings were measured. */
  readonly holders: Holders;
  /** Other tokens that the user holds and has approved. */
  readonly bystanders: readonly Address[];
  /** The native token as an ERC-20, on chains where it is one. */
  readonly nativeToken?: Address | undefined;
  /** What the transaction paid to others than those of the trade and the pools that it swapped through. */
  readonly strays: readonly Payment[];
  /** What the transaction took from the user beside what is sold. */
  readonly taken: readonly TokenAmount[];
};

/** What an account was paid, in base units; `NATIVE_TOKEN` is native. */
export type Payment = TokenAmount & { readonly to: Address };

/** The accounts around a trade. */
export type Holders = {
  readonly user: Address;
  /** Who is to receive: the recipient asked for, or the user. */
  readonly receiver: Address;
  readonly router: Address;
  /** The token proxy, unless it is the router or Permit2. */
  readonly proxy: Address | undefined;
};

/** Returns those accounts, each once. */
export function accountsOf({ user, receiver, router, proxy = user }: Holders): readonly Address[] {
  return [...new Set([user, receiver, router, proxy])];
}

/** What a trade did to those around it, in base units. */
export type Effects =
  | {
      readonly kind: 'settled';
      readonly gasUsed: bigint;
      /** What the user has less of what is sold. */
      readonly spent: bigint;
      /** What the receiver has more of what is bought. */
      readonly received: bigint;
      /** How any measured balance changed; `NATIVE_TOKEN` is native; undefined where it cannot be read. */
      readonly change: (token: Address, holder: Address) => bigint | undefined;
      readonly scene?: Scene;
    }
  | {
      readonly kind: 'reverted';
      readonly scene?: Scene;
      /** What it reverted with, in words, and what is known of the tokens. */
      readonly reason: string;
    };

/** How a trade was tried, so that it can be tried again. */
export type Scene = {
  readonly chainId: number;
  /** The block that was forked. */
  readonly blockNumber: number;
  readonly user: Address;
  readonly trade: UserCall;
  /** Earlier calls of the user. */
  readonly earlier?: readonly UserCall[] | undefined;
  /** Code of other accounts that those calls need. */
  readonly code?: Readonly<Record<Address, `0x${string}`>> | undefined;
  readonly tokens: readonly Address[];
  readonly holders: readonly Address[];
  /** Unix time in seconds. */
  readonly timestamp?: number;
};

/** One call that a user makes. */
export type UserCall = {
  readonly to: Address;
  readonly value: bigint;
  readonly data: `0x${string}`;
};

/** What stands for native where balances are measured. */
export const NATIVE_TOKEN: Address = '0x0000000000000000000000000000000000000000';

/** Returns the token that the user pays with, as its balance is measured. */
export function tokenSold({ request, plan }: Pick<SettledPlan, 'request' | 'plan'>): Address {
  return request.sell.native ? NATIVE_TOKEN : plan.sell.token;
}

/** Returns whether two tokens are the same: on some chains the native token is an ERC-20 too. */
export function isSameToken(
  one: Address,
  other: Address,
  { nativeToken }: Pick<SettledPlan, 'nativeToken'>,
): boolean {
  const plain = (token: Address) => (token === nativeToken ? NATIVE_TOKEN : token);
  return plain(one) === plain(other);
}

/** Returns the token that the receiver is paid in, as its balance is measured. */
export function tokenBought({ request, plan }: Pick<SettledPlan, 'request' | 'plan'>): Address {
  return request.buy.native ? NATIVE_TOKEN : plan.buy.token;
}

/** What came of a real transaction. */
export type Mined =
  | {
      readonly kind: 'mined';
      readonly success: boolean;
      readonly gasUsed: bigint;
      readonly logs: readonly Log[];
      /** Why it failed, in words; undefined where it succeeded. */
      readonly reason?: string | undefined;
    }
  /** The node did not take it, and says why. */
  | { readonly kind: 'refused'; readonly reason: string };

/** An event of a transaction, as its receipt has it. */
export type Log = {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
};

/** A plan that was settled after its own pools had been traded against the user. */
export type PriceMove = Tried & {
  /** By how much the user would be worse off than quoted without protection, in steps of 0.0001 and parts of them. */
  readonly movedBps: number;
  /** The tolerance of the calldata, in the same steps. */
  readonly toleranceBps: number;
};

/** What plans are judged by, according to how they came to be executed. */
export type Evidence = {
  /** With the calldata that the service returned. */
  readonly 'as-returned': SettledPlan;
  /** With the calldata for one wallet, and no recipient, sent by another. */
  readonly 'sent-by-another': SettledPlan;
  /** With the calldata that the service returned, after the price has moved against the user. */
  readonly 'price-moved': PriceMove;
  /** Returned without calldata, and encoded by us. */
  readonly 'own-encoding': SettledPlan;
};
export type EvidenceKind = keyof Evidence;

/** Returns in words what was executed, for those who read a verdict. */
export function describeEvidence(item: SettledPlan | PriceMove): string {
  const { request } = item;
  if ('movedBps' in item) {
    const trade = describeTrade({ ...request, slippageBps: undefined });
    return `${trade}, price moved by ${Number((item.movedBps / 10_000).toFixed(6))}, tolerance ${item.toleranceBps / 10_000}`;
  }
  const wallet = request.wallet === undefined ? '' : `, asked for ${request.wallet}`;
  return `${describeTrade(request)}${wallet}`;
}
