import type { Exchange } from '../client/exchange.ts';
import type { Payment, Scenario, Settlement } from './scenario.ts';
import { type Address, describeTrade, type TradeRequest } from './trade-request.ts';

export type TokenAmount = { readonly token: Address; readonly amount: bigint };

export type SwapStep = {
  /** The pool in the service's notation, in lower case; not always an address. */
  readonly pool: string;
  readonly source: string;
  /** Additional data of the service, for encoders. */
  readonly details?: unknown;
  readonly from: readonly TokenAmount[];
  readonly to: readonly TokenAmount[];
};

/** A plan that a service returned, with everything needed to settle it. */
export type SwapPlan = {
  readonly sell: TokenAmount;
  readonly buy: TokenAmount;
  readonly steps: readonly SwapStep[];
  /** Distinct tokens of the plan. */
  readonly tokens: readonly Address[];
  /** Decimal places of each token, if the plan contains a number. */
  readonly decimals: ReadonlyMap<Address, number>;
  readonly transaction: Transaction | undefined;
};

/** The transaction that settles a plan according to the service. */
export type Transaction = {
  readonly router: Address;
  readonly calldata: `0x${string}`;
  readonly gasLimit: bigint;
};

/** A plan that a service returned, with the transaction that settles it. */
export type Trade = {
  readonly request: TradeRequest;
  readonly exchange: Exchange;
  readonly plan: SwapPlan;
  readonly transaction: Transaction;
};

/** A scenario and its effects. */
export type Settled = { readonly scenario: Scenario; readonly settlement: Settlement };

/** A plan that was settled in one scenario. */
export type SettledOnce = Trade & {
  readonly now: Settled;
  readonly effects: Effects;
  /** The accounts of the trade. */
  readonly holders: Holders;
};

/** A plan that was settled for an account with code, and settles for one without. */
export type SettledWithCode = SettledOnce & {
  readonly account: 'contract recipient' | 'delegating user' | 'contract user';
  /** Owner of a contract that is the user: it sends the transaction, holds and approved the same. */
  readonly owner: Address | undefined;
};

/** One plan, settled on a fork: `now` with its gas limit, or with ample gas if that is not enough. */
export type SettledPlan = SettledOnce & {
  /** Settled within its gas limit; undefined if it does not settle with any. */
  readonly limited: Settled | undefined;
  /** Settled one minute later, with ample gas. */
  readonly later: Settled;
  readonly effectsLater: Effects;
  /** True if the market did not move between the quote and the fork. */
  readonly unmoved: boolean;
  /** True if there is a contract at the router's address. */
  readonly routerHasCode: boolean;
  /**
   * Number of earlier reverts of calldata for the same trade, possibly because the market had moved.
   */
  readonly failedBefore: number;
  /** Gas limit of the chain's blocks, if it could be read. */
  readonly blockGasLimit: bigint | undefined;
  /** Maximum gas limit of a transaction on the chain, if its node reports one. */
  readonly transactionGasCap: bigint | undefined;
  /**
   * The yield of the plan's exact input on the same block only through its pools, in base units.
   * Undefined if the market did not move or the yield is unknown.
   */
  readonly alternativeYield: bigint | undefined;
  /**
   * The yield of only the pools of an exact-output plan on the same block, for the quoted amount
   * and for the spent amount. Undefined if no more was spent than quoted, or if the yield is
   * unknown.
   */
  readonly poolsGive?: { readonly forQuoted: bigint; readonly forSpent: bigint } | undefined;
  /** Other tokens that the user holds and has approved. */
  readonly bystanders: readonly Address[];
  /** The native token as an ERC-20, on chains where it is one. */
  readonly nativeToken?: Address | undefined;
  /** Payments of the transaction to accounts other than the trade's and the swapped pools. */
  readonly strays: readonly Stray[];
  /** Amounts that the transaction took from the user besides the sold token. */
  readonly taken: readonly TokenAmount[];
};

/** A payment to an account that has no part in the trade. */
export type Stray = Omit<Payment, 'from' | 'by'>;

/** The accounts of a trade. */
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
       * Change of any measured balance; `NATIVE_TOKEN` represents the native token. Undefined if
       * the balance cannot
       * be read.
       */
      readonly change: (token: Address, holder: Address) => bigint | undefined;
    }
  | {
      readonly kind: 'reverted';
      /** The decoded revert reason, with known problems of the tokens. */
      readonly reason: string;
      /** Identifies the reason in every run. */
      readonly error?: string | undefined;
    };

/** Returns the effects of a settlement on the accounts of its trade. */
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

/** The native token in measured balances. */
export const NATIVE_TOKEN: Address = '0x0000000000000000000000000000000000000000';

/** Returns the token that the user pays with, as used in measured balances. */
export function tokenSold({ request, plan }: Pick<SettledPlan, 'request' | 'plan'>): Address {
  return request.sell.native ? NATIVE_TOKEN : plan.sell.token;
}

/** Returns whether two tokens are the same: on some chains the native token is also an ERC-20. */
export function isSameToken(
  one: Address,
  other: Address,
  { nativeToken }: Pick<SettledPlan, 'nativeToken'>,
): boolean {
  const plain = (token: Address) => (token === nativeToken ? NATIVE_TOKEN : token);
  return plain(one) === plain(other);
}

/** Returns the token that the receiver is paid in, as used in measured balances. */
export function tokenBought({ request, plan }: Pick<SettledPlan, 'request' | 'plan'>): Address {
  return request.buy.native ? NATIVE_TOKEN : plan.buy.token;
}

/** A plan that was settled after its own pools had been traded against the user. */
export type PriceMove = Omit<Trade, 'transaction'> & {
  readonly now: Settled;
  readonly effects: Effects;
  /**
   * Loss that an unprotected user would suffer compared with the quote, in basis points and fractions of them.
   */
  readonly movedBps: number;
  /** The slippage tolerance of the calldata, in steps of 0.0001. */
  readonly toleranceBps: number;
};

/** The amount that the pool of a step took, and the amount that it paid, in base units. */
export type StepYield = {
  readonly step: SwapStep;
  readonly sold: bigint;
  readonly received: bigint;
};

/** The result of a plan that was settled only through its pools. */
export type PoolYields =
  /** The steps in the order in which they were made. */
  | { readonly kind: 'settled'; readonly yields: readonly StepYield[] }
  /** The pool of this step failed. */
  | { readonly kind: 'failed'; readonly step: SwapStep; readonly reason: string }
  /** The plan cannot be settled through its pools, because of the pool of a step or for another reason. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly step?: SwapStep };

/** A plan that was requested without calldata, and facts about it from the chain. */
export type PooledPlan = {
  readonly request: TradeRequest;
  readonly exchange: Exchange;
  readonly plan: SwapPlan;
  /** True if the market did not move between the quote and the fork. */
  readonly unmoved: boolean;
  readonly pools: PoolYields;
  /** Decimal places that the token contracts of the plan return. */
  readonly decimalsOnChain: ReadonlyMap<Address, number>;
  /** Addresses of the plan's pools that have no code. */
  readonly poolsWithoutCode: readonly Address[];
};

/** The executed plans that rules judge, by how they were executed. */
export type Evidence = {
  /** Executes the returned calldata. */
  readonly 'as-returned': SettledPlan;
  /** Executes calldata that names no recipient from another wallet than the one that requested it. */
  readonly 'sent-by-another': SettledOnce;
  /** Executes the returned calldata for accounts with code. */
  readonly 'with-code': SettledWithCode;
  /** Executes the returned calldata after the price has moved against the user. */
  readonly 'price-moved': PriceMove;
  /** Returned without calldata, and settled by us through the pools. */
  readonly 'through-pools': PooledPlan;
};
export type EvidenceKind = keyof Evidence;

/** Returns a description of the execution, for readers of a verdict. */
export function describeEvidence(item: Evidence[EvidenceKind]): string {
  const { request } = item;
  if ('movedBps' in item) {
    const trade = describeTrade({ ...request, slippageBps: undefined });
    return `${trade}, price moved by ${Number((item.movedBps / 10_000).toFixed(6))}, tolerance ${item.toleranceBps / 10_000}`;
  }
  const wallet = request.wallet === undefined ? '' : `, requested for ${request.wallet}`;
  return `${describeTrade(request)}${wallet}`;
}
