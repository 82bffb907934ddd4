import type { Exchange, Reply } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';

/** A JSON body that a change may alter in any way. */
// biome-ignore lint/suspicious/noExplicitAny: changes break documents in arbitrary ways
export type Loose = any;

/** Correct replies to which changes are applied. `golden-replies.testing.ts` defines them. */
export type CorrectReply =
  | 'swap'
  | 'plainSwap'
  | 'nativeSell'
  | 'nativeBuy'
  | 'tokens'
  | 'chains'
  | 'chainInfo'
  | 'error';

/**
 * A change to a reply: a function of the body, or new values keyed by JSON pointer. `undefined`
 * removes a value.
 */
export type Change = Readonly<Record<string, unknown>> | ((body: Loose) => unknown);

/** Circumstances in which the changed reply differs from the correct reply. */
export type Around = {
  /** Correct reply to change. Default: the reply of the rule's operation, or of `/swap`. */
  readonly of?: CorrectReply;
  /** New values of query parameters; `undefined` removes a parameter. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly endpoint?: Endpoint | undefined;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly origin?: Exchange['origin'];
  readonly document?: Reply['document'];
  readonly exchange?: Partial<Exchange>;
  readonly facts?: KnownFacts;
  readonly tolerancePpm?: number;
  /** Ids of other rules that are allowed to fail on the changed reply. */
  readonly fails?: readonly string[];
};

/** A change to a correct reply, and the circumstances in which the result is judged. */
export type ReplyVariant = readonly [change: Change, around?: Around];

/**
 * Facts about the service: `none`; token prices (`priced`) or no prices (`unpriced`); the native
 * token as the USD token (`usdIsNative`); an earlier plan for the same trade (`traded`); a chain
 * without a name whose routers are unreadable (`unreadable`); or all facts except those from one
 * endpoint (`withoutChains` and so on).
 */
export type KnownFacts =
  | 'none'
  | 'priced'
  | 'unpriced'
  | 'usdIsNative'
  | 'traded'
  | 'unreadable'
  | 'withoutChains'
  | 'withoutTokens'
  | 'withoutChainInfo';

/**
 * A change to a correct reply that breaks a rule, and the findings that the rule must return. A
 * finding is written as `at /sell/amount: 5`. If the fault is not in the body, it is written as the
 * actual behavior.
 */
export type ReplyBreak =
  | readonly [change: Change, ...finds: string[]]
  | readonly [change: Change, around: Around, ...finds: string[]];

/** Tokens of the correct trade, which sells `SELL` for `BUY` through `MID`. */
export type TradeToken = 'SELL' | 'MID' | 'BUY' | 'SPARE' | 'NATIVE';
/** Accounts of the correct trade, which swaps in `pool1` and `pool2`. */
export type TradeAccount =
  | 'user'
  | 'receiver'
  | 'router'
  | 'proxy'
  | 'pool1'
  | 'pool2'
  | 'stranger';

/**
 * Changes to a trade that settled exactly as planned. Objects are merged into those of the trade.
 */
export type SettlementChange = {
  /** Default: exact input from one token to another. */
  readonly trade?: 'exactInput' | 'exactOutput' | 'nativeSell' | 'nativeBuy' | 'nativeToNative';
  readonly request?: {
    readonly slippageBps?: number;
    readonly wallet?: TradeAccount;
    readonly useRfq?: boolean;
  };
  readonly plan?: { readonly buy: { readonly token: TradeToken; readonly amount: bigint } };
  readonly effects?:
    | 'reverted'
    | 'rejected'
    | {
        readonly spent?: bigint;
        readonly received?: bigint;
        readonly change?: Partial<
          Readonly<Record<TradeToken, Partial<Readonly<Record<TradeAccount, bigint>>>>>
        >;
      };
  readonly effectsLater?: 'reverted';
  /** The settlement of the same calldata for the account that requested it. */
  readonly asReturned?: { readonly spent?: bigint; readonly received?: bigint };
  /** The settlement within the gas limit. */
  readonly atGasLimit?:
    | 'unknown'
    | {
        readonly outcome?: 'reverted' | 'rejected';
        readonly gasUsed?: bigint;
        readonly reason?: string;
      };
  /** Payments to add after those of the plan. `none` removes all payments. */
  readonly payments?: 'none' | readonly (TradePayment & { readonly from: TradeAccount })[];
  readonly holders?: { readonly receiver?: TradeAccount; readonly proxy?: undefined };
  /** Owner of the user, if the user is a contract. */
  readonly owner?: TradeAccount;
  readonly strays?: readonly TradePayment[];
  readonly untraced?: string;
  readonly untouched?: readonly TradeAccount[];
  readonly taken?: readonly Omit<TradePayment, 'to'>[];
  readonly poolsWithoutCode?: readonly TradeAccount[];
  readonly decimalsOnChain?: Partial<Readonly<Record<TradeToken, number>>>;
  /**
   * Amounts that the pools take and pay, by step. `failed`: the first pool fails. `unknown`: its
   * yield is unknown.
   */
  readonly poolYields?:
    | 'failed'
    | 'unknown'
    | readonly (readonly [sold: bigint, received: bigint])[];
  readonly poolsGive?: { readonly forQuoted: bigint; readonly forSpent: bigint };
  readonly alternativeYield?: bigint;
  readonly frozen?: boolean;
  readonly failedBefore?: number;
  readonly routerHasCode?: boolean;
  readonly blockGasLimit?: bigint | undefined;
  readonly transactionGasCap?: bigint;
  /** Slippage tolerance of a trade that is executed after its price has moved. */
  readonly toleranceBps?: number;
  readonly movedBps?: number;
  /** Default: 0. */
  readonly tolerancePpm?: number;
};

type TradePayment = {
  readonly token: TradeToken;
  readonly to: TradeAccount;
  readonly amount: bigint;
};

/**
 * A change to a correct settlement that breaks a rule, and the findings that the rule must return,
 * with names instead of addresses: `at /calldata: TRANSFER_FAILED`, `1 base unit of BUY paid to
 * stranger`.
 */
export type SettlementBreak = readonly [change: SettlementChange, ...finds: string[]];

/** A request as a service receives it. */
export type ReceivedRequest = {
  readonly path: string;
  readonly params: Query;
  /** The query as it was sent, without the API key, which the client appends. */
  readonly raw: string;
  /** Number of earlier requests, and of earlier identical requests. */
  readonly count: number;
  readonly repeats: number;
};

export type ServiceReply = {
  readonly status: number;
  readonly body: Loose;
  readonly headers?: Reply['headers'];
};

/** A reply that is judged, but too large to be stored. */
export type TooLarge = { readonly tooLarge: ServiceReply };

/**
 * Changes the replies of a correct service. `rule-kit/service-breaks.ts` has functions to compose
 * changes.
 */
export type ServiceChange = (
  reply: ServiceReply,
  request: ReceivedRequest,
) => ServiceReply | 'no reply' | TooLarge;

/**
 * Facts about a service that differ from those about the correct service. In the order of the type:
 * discovery learned nothing; the chain has no router, no router with an encoder, or addresses of
 * another kind; the native token is listed; the last listed token was not traded; no pair was
 * traded; two chains are in scope; a token that `/swap` does not know is listed, or is the USD
 * token; no listed token was traded.
 */
export type ServiceFacts =
  | 'undiscovered'
  | 'noRouters'
  | 'noEncoder'
  | 'otherAddresses'
  | 'nativeListed'
  | 'lastTokenUntraded'
  | 'untraded'
  | 'twoChains'
  | 'unknownTokenListed'
  | 'unknownUsdToken'
  | 'noTokenTraded';

/**
 * A change to a correct service that breaks a probe's rule, and the distinct findings that the
 * probe must return: `expected 200 for /chains, got 404 "NO"`. `…` matches any text, such as a
 * random amount.
 */
export type ServiceBreak =
  | readonly [change: ServiceChange, ...finds: string[]]
  | readonly [change: ServiceChange, around: { readonly facts: ServiceFacts }, ...finds: string[]];

/**
 * A service with unusual behavior: a description, a change to the correct service, and facts about
 * the service.
 */
export type ServiceVariant = readonly [
  what: string,
  change: ServiceChange,
  around?: { readonly facts: ServiceFacts },
];
