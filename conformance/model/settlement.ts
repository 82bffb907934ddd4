import type { Exchange } from '../client/exchange.ts';
import type { Payment, Scenario, Settlement } from './scenario.ts';
import { type Address, describeTrade, type TradeRequest } from './trade-request.ts';

export type TokenAmount = { readonly token: Address; readonly amount: bigint };

export type SwapStep = {
  /** The service's identifier of the pool, in lower case. It need not be an address. */
  readonly pool: string;
  readonly source: string;
  /** Additional data from the service, for encoders. */
  readonly details?: unknown;
  readonly from: readonly TokenAmount[];
  readonly to: readonly TokenAmount[];
};

/** A plan that a service returned, with everything needed to settle it. */
export type SwapPlan = {
  readonly sell: TokenAmount;
  readonly buy: TokenAmount;
  readonly steps: readonly SwapStep[];
  readonly tokens: readonly Address[];
  /** Decimals of each token, if the plan states them as a number. */
  readonly decimals: ReadonlyMap<Address, number>;
  readonly transaction: Transaction | undefined;
};

/** The transaction that the service returned to settle a plan. */
export type Transaction = {
  readonly router: Address;
  readonly calldata: `0x${string}`;
  readonly gasLimit: bigint;
};

export type Quote = {
  readonly request: TradeRequest;
  readonly exchange: Exchange;
  readonly plan: SwapPlan;
};

/** A plan with the transaction that settles it. */
export type Trade = Quote & { readonly transaction: Transaction };

export type Settled = { readonly scenario: Scenario; readonly settlement: Settlement };

export type SettledOnce = Trade & {
  readonly now: Settled;
  readonly effects: Effects;
  readonly holders: Holders;
  /** Effects of the same calldata at the same block, for the account that requested it. */
  readonly asReturned?: Effects | undefined;
};

/** A plan that settles for an account without code, and was also settled for one with code. */
export type SettledWithCode = SettledOnce & {
  readonly account: 'contract recipient' | 'delegating user' | 'contract user';
  /**
   * Owner of the user, if the user is a contract. The owner sends the transaction, and has the same
   * tokens and approvals as the user.
   */
  readonly owner: Address | undefined;
};

/**
 * A plan that was settled on a fork. `now` is the settlement with the plan's gas limit or, if that
 * is too low, with ample gas.
 */
export type SettledPlan = SettledOnce & {
  /** Difference from a settlement right after the quote: 'at a better price'. */
  readonly circumstance?: string;
  readonly funds: Funds;
  /** The settlement with the plan's gas limit; undefined if the trade fails with any gas limit. */
  readonly atGasLimit: Settled | undefined;
  /** The settlement one minute later, with ample gas. */
  readonly later: Settled;
  readonly effectsLater: Effects;
  /** True if the market did not move between the quote and the fork. */
  readonly frozen: boolean;
  /** Pools of the plan in which nothing moved, and which the transaction did not call. */
  readonly untouched: readonly string[];
  readonly routerHasCode: boolean;
  /**
   * Number of times that earlier calldata for the same trade reverted, possibly because the market
   * had moved.
   */
  readonly failedBefore: number;
  /** Gas limit of the chain's blocks, if it could be read. */
  readonly blockGasLimit: bigint | undefined;
  /** Maximum gas limit of a transaction on the chain, if its node reports one. */
  readonly transactionGasCap: bigint | undefined;
  /**
   * Base units that the exact input yields at the same block through only the plan's pools.
   * Undefined if the market did not move or the yield is unknown.
   */
  readonly alternativeYield: bigint | undefined;
  /**
   * Base units that the pools of an exact-output plan yield at the same block, for the quoted and
   * for the spent amount. Undefined if no more than the quote was spent, or if the yield is
   * unknown.
   */
  readonly poolsGive?: { readonly forQuoted: bigint; readonly forSpent: bigint } | undefined;
  /** Other tokens that the user holds and has approved. */
  readonly bystanders: readonly Address[];
  /** The contract of the native token, on chains where it is also an ERC-20. */
  readonly nativeToken?: Address | undefined;
  /** Payments to accounts other than the trade's accounts and the pools in which it swapped. */
  readonly strays: readonly Stray[];
  /** Amounts of tokens other than the sold one that the transaction took from the user. */
  readonly taken: readonly TokenAmount[];
  /** Reason why suspicious payments could not be examined, so that `strays` may lack some. */
  readonly untraced?: string | undefined;
  /** True if the trade itself is that reason, and not the node. */
  readonly isUntraceable?: boolean;
};

/** Funds of a user before a trade. The same trade may be settled with different funds. */
export type Funds = {
  /**
   * Balance of the sold token: the maximum that the trade may sell, more, or enough to repeat the
   * trade often.
   */
  readonly tokens: 'exact' | 'ample' | 'repeatable';
  /** Approval of the sold token: the maximum that the trade may sell, or any amount. */
  readonly approval: 'exact' | 'unlimited';
  /** Native balance: enough for the trade and its gas, or more. */
  readonly native: 'scarce' | 'ample';
  /** Balance of the bought token at the receiver: none, or at least as much as the trade buys. */
  readonly bought: 'none' | 'some';
  /**
   * `approved`: the recipient, and an account that takes no part in the trade, also hold the sold
   * token and have approved the router.
   */
  readonly others: 'none' | 'approved';
};

/** A payment to an account that takes no part in the trade. */
export type Stray = Omit<Payment, 'from' | 'by'>;

export type Holders = {
  readonly user: Address;
  /** The requested recipient, or the user. */
  readonly receiver: Address;
  readonly router: Address;
  /** The token proxy, unless it is the router or Permit2. */
  readonly proxy: Address | undefined;
};

/** Returns the distinct accounts of a trade. */
export function accountsOf({ user, receiver, router, proxy = user }: Holders): readonly Address[] {
  return [...new Set([user, receiver, router, proxy])];
}

/** The effects of a trade on its accounts, in base units. */
export type Effects =
  | {
      readonly kind: 'settled';
      readonly gasUsed: bigint;
      /** Decrease of the user's balance of the sold token. */
      readonly spent: bigint;
      /** Increase of the receiver's balance of the bought token. */
      readonly received: bigint;
      /**
       * Returns the change of any measured balance; `NATIVE_TOKEN` represents the native token.
       * Returns undefined if the balance cannot be read.
       */
      readonly change: (token: Address, holder: Address) => bigint | undefined;
    }
  | {
      readonly kind: 'reverted';
      /** Decoded revert reason, plus any known problems with the tokens. */
      readonly reason: string;
      /** Identifies the reason in every run. */
      readonly error?: string | undefined;
    };

/**
 * Returns the effects of a settlement. A trade whose tokens report no balance counts as reverted.
 */
export function effectsOf(
  trade: Pick<Trade, 'request' | 'plan'>,
  { user, receiver }: Pick<Holders, 'user' | 'receiver'>,
  { outcome, gasUsed, reason = 'it reverted', error, changes }: Settlement,
): Effects {
  if (outcome !== 'settled') return { kind: 'reverted', reason, error };
  const change = (token: Address, holder: Address) => {
    const changed = changes.find((each) => each.token === token && each.holder === holder);
    return changed === undefined ? 0n : changed.amount;
  };
  const spent = change(tokenSold(trade), user);
  const received = change(tokenBought(trade), receiver);
  if (spent === undefined || received === undefined) {
    const why = 'a token of the trade does not report a balance';
    return { kind: 'reverted', reason: why, error: 'no-balance' };
  }
  return { kind: 'settled', gasUsed, spent: -spent, received, change };
}

/** Address that represents the native token in measured balances. */
export const NATIVE_TOKEN: Address = '0x0000000000000000000000000000000000000000';

/** Returns the address under which measured balances list the sold token. */
export function tokenSold({ request, plan }: Pick<SettledPlan, 'request' | 'plan'>): Address {
  return request.sell.native ? NATIVE_TOKEN : plan.sell.token;
}

/**
 * Returns whether two addresses denote the same token. On some chains, the native token is also an
 * ERC-20.
 */
export function isSameToken(
  one: Address,
  other: Address,
  { nativeToken }: Pick<SettledPlan, 'nativeToken'>,
): boolean {
  const plain = (token: Address) => (token === nativeToken ? NATIVE_TOKEN : token);
  return plain(one) === plain(other);
}

/** Returns the address under which measured balances list the bought token. */
export function tokenBought({ request, plan }: Pick<SettledPlan, 'request' | 'plan'>): Address {
  return request.buy.native ? NATIVE_TOKEN : plan.buy.token;
}

/** A plan that was settled after trades in its own pools had moved the price against the user. */
export type PriceMove = Quote & {
  readonly now: Settled;
  readonly effects: Effects;
  /** Loss of an unprotected user compared with the quote, in fractional basis points. */
  readonly movedBps: number;
  /** Slippage tolerance of the calldata, in steps of 0.0001. */
  readonly toleranceBps: number;
};

/** The amounts that the pool of one step took and paid, in base units. */
export type StepYield = {
  readonly step: SwapStep;
  readonly sold: bigint;
  readonly received: bigint;
};

/** The result of a plan that was settled only through its pools. */
export type PoolYields =
  /** The yield of each step, in the order of execution. */
  | { readonly kind: 'settled'; readonly yields: readonly StepYield[] }
  /** The pool of this step failed. */
  | { readonly kind: 'failed'; readonly step: SwapStep; readonly reason: string }
  /**
   * The plan cannot be settled through its pools. `step` is set if the pool of one step is the
   * reason.
   */
  | { readonly kind: 'unknown'; readonly reason: string; readonly step?: SwapStep };

/** A plan that was requested without calldata, and facts about it from the chain. */
export type PooledPlan = Quote & {
  /** Settlement by our trader through the plan's pools; undefined if it could not be attempted. */
  readonly now: Settled | undefined;
  /** True if the market did not move between the quote and the fork. */
  readonly frozen: boolean;
  readonly pools: PoolYields;
  /** Decimals that the contracts of the plan's tokens return. */
  readonly decimalsOnChain: ReadonlyMap<Address, number>;
  /** Addresses of the plan's pools that have no code. */
  readonly poolsWithoutCode: readonly Address[];
};

/** Executed plans that rules judge, keyed by how they were executed. */
export type Evidence = {
  /** Returned calldata, executed unchanged. */
  readonly 'as-returned': SettledPlan;
  /** Calldata that names no recipient, sent from a wallet other than the requested one. */
  readonly 'sent-by-another': SettledOnce;
  /** Returned calldata, executed for accounts with code. */
  readonly 'with-code': SettledWithCode;
  /** Returned calldata, executed after the price has moved against the user. */
  readonly 'price-moved': PriceMove;
  /** Plans without calldata, which we settle through their pools. */
  readonly 'through-pools': PooledPlan;
};
export type EvidenceKind = keyof Evidence;

/** Describes an execution for readers of a verdict. */
export function describeEvidence(item: Evidence[EvidenceKind]): string {
  const { request } = item;
  if ('movedBps' in item) {
    const trade = describeTrade({ ...request, slippageBps: undefined });
    return `${trade}, price moved by ${Number((item.movedBps / 10_000).toFixed(6))}, tolerance ${item.toleranceBps / 10_000}`;
  }
  const wallet = request.wallet === undefined ? '' : `, requested for ${request.wallet}`;
  const circumstance =
    'circumstance' in item && item.circumstance !== undefined ? `, ${item.circumstance}` : '';
  return `${describeTrade(request)}${wallet}${circumstance}`;
}
