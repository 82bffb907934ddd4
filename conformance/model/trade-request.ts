import { targetFor } from '../client/operations.ts';
import type { RequestTarget } from '../client/request.ts';
import type { RouterName } from '../contract/resources.ts';
import type { Asset, RequiredParameters } from '../discovery/facts.ts';

/** A 20-byte address in lower case. */
export type Address = `0x${string}`;

/** A trade for which a plan is requested, with everything that its execution needs. */
export type TradeRequest = {
  readonly chainId: number;
  readonly router: RouterName;
  readonly sell: Asset;
  readonly buy: Asset;
  readonly swapKind: SwapKind;
  /** Base units of the sell token for exact input, or of the buy token for exact output. */
  readonly amount: bigint;
  /** Slippage tolerance in steps of 0.0001: 0 to 10000. If undefined, no calldata is requested. */
  readonly slippageBps: number | undefined;
  /** Sender of the transaction. */
  readonly user: Address;
  /** The `userAddress` of the request, if it differs from the sender. */
  readonly wallet?: Address;
  /** Requested recipient. If undefined, the sender receives the buy token. */
  readonly recipient: Address | undefined;
  /** True to request market makers' liquidity; if unset, the parameter is omitted. */
  readonly useRfq?: boolean;
  readonly requiredParameters?: RequiredParameters | undefined;
  /** Seed that selects the format of the query. If unset, the query has the canonical format. */
  readonly notationSeed?: number;
};

export type SwapKind = 'exact-input' | 'exact-output';

export function targetOf(request: TradeRequest): RequestTarget {
  const { chainId, sell, buy, swapKind, amount, router, useRfq, slippageBps, user } = request;
  const { wallet = user, recipient, requiredParameters = [] } = request;
  const sides = { chainId, sellToken: sell.address, buyToken: buy.address };
  const tradedAmount = swapKind === 'exact-input' ? { sellAmount: amount } : { buyAmount: amount };
  const needed = Object.fromEntries(requiredParameters.filter(([name]) => name !== 'router'));
  const plan = { ...sides, ...tradedAmount, ...needed, ...(useRfq && { useRfq }), router };
  if (slippageBps === undefined) return targetFor('swap', plan);
  return targetFor('swap', {
    ...plan,
    includeCalldata: true,
    userAddress: wallet,
    ...(recipient !== undefined && { recipientAddress: recipient }),
    slippageTolerance: slippageBps / 10_000,
  });
}

/** Describes a trade for readers of a verdict. */
export function describeTrade(request: TradeRequest): string {
  const { router, sell, buy, swapKind, slippageBps, useRfq } = request;
  const tolerance = slippageBps === undefined ? '' : `, tolerance ${slippageBps / 10_000}`;
  const pair = `${JSON.stringify(sell.symbol)} to ${JSON.stringify(buy.symbol)}`;
  return `${swapKind} ${pair} on ${router}${tolerance}${useRfq ? ', useRfq=true' : ''}`;
}

/** Returns the kind of a trade. Each kind is judged separately. */
export function kindOfTrade({ swapKind, router, chainId }: TradeRequest): string {
  return `${swapKind} on ${router} of chain ${chainId}`;
}

type Quoted = {
  readonly sell: { readonly amount: bigint };
  readonly buy: { readonly amount: bigint };
};

/**
 * Returns the maximum amount that a plan may sell, rounded down: `sell.amount`, plus the slippage
 * tolerance for exact output.
 */
export function maxSold({ swapKind, slippageBps = 0 }: TradeRequest, { sell }: Quoted): bigint {
  return swapKind === 'exact-input'
    ? sell.amount
    : (sell.amount * BigInt(10_000 + slippageBps)) / 10_000n;
}

/**
 * Returns the minimum amount that a plan may buy, rounded down: the requested amount for exact
 * output, otherwise `buy.amount` minus the tolerance.
 */
export function minBought(
  { swapKind, amount, slippageBps = 0 }: TradeRequest,
  { buy }: Quoted,
): bigint {
  return swapKind === 'exact-output'
    ? amount
    : (buy.amount * BigInt(10_000 - slippageBps)) / 10_000n;
}
