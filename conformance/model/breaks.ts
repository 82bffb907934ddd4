import type { Exchange, Reply } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';

/** A JSON body that a change may alter in any way. */
// biome-ignore lint/suspicious/noExplicitAny: changes break documents in arbitrary ways
export type Loose = any;

/** Correct replies to start changes from; defined in `golden-replies.testing.ts`. */
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
 * A change of a reply: new values by JSON pointer, where `undefined` removes a value; or a
 * function.
 */
export type Change = Readonly<Record<string, unknown>> | ((body: Loose) => unknown);

/** Circumstances of a changed reply that differ from those of the correct one. */
export type Around = {
  /** Default: a reply to the rule's operation, or to `/swap`. */
  readonly of?: CorrectReply;
  /** Changes of the query; `undefined` removes a parameter. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly endpoint?: Endpoint | undefined;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly origin?: Exchange['origin'];
  readonly document?: Reply['document'];
  readonly exchange?: Partial<Exchange>;
  readonly facts?: KnownFacts;
  readonly tolerancePpm?: number;
  /** Other rules that fail the reply. */
  readonly fails?: readonly string[];
};

/** A change of a correct reply, and its circumstances. */
export type ReplyVariant = readonly [change: Change, around?: Around];

/**
 * Earlier knowledge of the service: `none`; with token prices (`priced`) or without (`unpriced`);
 * the USD token is the native token; the trade returned a plan (`traded`); or all but one lookup.
 */
export type KnownFacts =
  | 'none'
  | 'priced'
  | 'unpriced'
  | 'usdIsNative'
  | 'traded'
  | 'withoutChains'
  | 'withoutTokens'
  | 'withoutChainInfo';

/**
 * A change of a correct reply that breaks a rule, and each finding that it must produce: `at
 * /sell/amount: 5`, or the actual behavior if the body is not at fault.
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

/** Changes of a trade that settled exactly as planned; the objects are merged with those of the trade. */
export type SettlementChange = {
  /** Default: exact input from one token to another. */
  readonly trade?: 'exactInput' | 'exactOutput' | 'nativeSell' | 'nativeBuy' | 'nativeToNative';
  readonly request?: { readonly slippageBps?: number; readonly wallet?: TradeAccount };
  readonly plan?: { readonly buy: { readonly token: TradeToken; readonly amount: bigint } };
  readonly effects?:
    | 'reverted'
    | {
        readonly spent?: bigint;
        readonly received?: bigint;
        readonly change?: Partial<
          Readonly<Record<TradeToken, Partial<Readonly<Record<TradeAccount, bigint>>>>>
        >;
      };
  readonly effectsLater?: 'reverted';
  /** Settled within the gas limit. */
  readonly limited?:
    | 'unknown'
    | {
        readonly outcome?: 'reverted' | 'rejected';
        readonly gasUsed?: bigint;
        readonly reason?: string;
      };
  /** Payments after those of the plan, or none at all. */
  readonly payments?: 'none' | readonly (TradePayment & { readonly from: TradeAccount })[];
  readonly holders?: { readonly receiver?: TradeAccount; readonly proxy?: undefined };
  /** Owner of a user that is a contract. */
  readonly owner?: TradeAccount;
  readonly strays?: readonly TradePayment[];
  readonly taken?: readonly Omit<TradePayment, 'to'>[];
  readonly poolsWithoutCode?: readonly TradeAccount[];
  readonly decimalsOnChain?: Partial<Readonly<Record<TradeToken, number>>>;
  /** Amounts that the pools take and pay, by step; `failed` and `unknown` are those of the first pool. */
  readonly poolYields?:
    | 'failed'
    | 'unknown'
    | readonly (readonly [sold: bigint, received: bigint])[];
  readonly poolsGive?: { readonly forQuoted: bigint; readonly forSpent: bigint };
  readonly alternativeYield?: bigint;
  readonly unmoved?: boolean;
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
 * A change of a correct settlement that breaks a rule, and each finding that it must produce, with
 * names for addresses: `at /calldata: TRANSFER_FAILED`, `1 base unit of BUY paid to stranger`.
 */
export type SettlementBreak = readonly [change: SettlementChange, ...finds: string[]];

/** A request as a service receives it. */
export type ReceivedRequest = {
  readonly path: string;
  readonly params: Query;
  /** The query as it was written, without the API key that the client appends. */
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

/** A reply that is judged but not stored, because of its size. */
export type TooLarge = { readonly tooLarge: ServiceReply };

/** Changes the replies of a correct service; composed of the words in `rule-kit/service-breaks.ts`. */
export type ServiceChange = (
  reply: ServiceReply,
  request: ReceivedRequest,
) => ServiceReply | 'no reply' | TooLarge;

/**
 * Earlier knowledge of a service, if it is not that of the correct one: nothing was learned; no pair
 * was traded; two chains were; a token that /swap does not know is listed, or is the USD token; no
 * listed token was traded, or only the last one was not; the native token is listed; the chain has no
 * router, none with an encoder, or addresses of another kind.
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
 * A change of a correct service that breaks the rule of a probe, and each different finding that the
 * probe must return: `expected 200 for /chains, got 404 "NO"`. A `…` matches any text, such as an
 * amount that is drawn at random.
 */
export type ServiceBreak =
  | readonly [change: ServiceChange, ...finds: string[]]
  | readonly [change: ServiceChange, around: { readonly facts: ServiceFacts }, ...finds: string[]];

/** A service that does something unusual, by a description, a change and earlier knowledge of it. */
export type ServiceVariant = readonly [
  what: string,
  change: ServiceChange,
  around?: { readonly facts: ServiceFacts },
];
