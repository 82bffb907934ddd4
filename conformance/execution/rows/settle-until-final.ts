import { sameAddress } from '../../checks/hex.ts';
import { NATIVE_ALIASES } from '../../contract/names.ts';
import type { Executed, SkippedPlan } from '../../model/executor.ts';
import type { Quote, Trade } from '../../model/settlement.ts';
import {
  type Address,
  describeTrade,
  type TradeRequest,
  targetOf,
} from '../../model/trade-request.ts';
import type { ForkedMarket } from '../fork/fork.ts';
import { NodeLossError, UnsettledError } from '../node/node-losses.ts';
import { targetInNotation } from '../requests/choose-requests.ts';
import { readSwapPlan } from '../settle/read-swap-plan.ts';
import { settleEach } from '../settle/settle-each.ts';

/** Maximum requests for a trade if the market may have moved away from its quote. */
const MAX_ATTEMPTS = 3;

/** Requests plans, settles each, and recognizes failures. */
type Settling<Requested extends Quote, Item extends Quote> = {
  readonly request: (
    forked: ForkedMarket,
    requests: readonly TradeRequest[],
  ) => Promise<readonly Requested[]>;
  readonly settle: (
    quote: Requested,
    past: { readonly frozen: boolean; readonly failedBefore: number },
  ) => Promise<Item | SkippedPlan>;
  readonly isFailed: (item: Item) => boolean;
  /**
   * Further work on the last plans of some trades, while the fork is at the block of their quotes.
   */
  readonly whileAtBlock?: (items: readonly Item[]) => Promise<void>;
};

/**
 * Settles trades, and repeats those that fail if the market may have moved since the quote. The
 * last plan of a trade counts. If a repeated request returns no plan, the trade has failed.
 */
export async function settleUntilFinal<Requested extends Quote, Item extends Quote>(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  { request, settle, isFailed, whileAtBlock }: Settling<Requested, Item>,
): Promise<Executed<Item>> {
  const items: Item[] = [];
  const skipped: SkippedPlan[] = [];
  let failed: readonly Item[] = [];
  let waiting = requests;
  for (let failedBefore = 0; waiting.length > 0; failedBefore += 1) {
    const quotes = await request(forked, waiting);
    const frozen = isFrozen(forked);
    const results = await settleEach(quotes, async (quote) => {
      const reason = wrongTokenOf(quote, forked.fork);
      if (reason !== undefined) return skipInvalid(quote, reason);
      return settle(quote, { frozen, failedBefore }).catch((error: unknown) =>
        skipUnsettled(quote.request, error),
      );
    });
    const settled = results.flatMap((result) => ('plan' in result ? result : []));
    skipped.push(...results.flatMap((result) => ('plan' in result ? [] : result)));
    const returned = new Set(settled.map(({ request }) => request));
    items.push(...failed.filter(({ request }) => !returned.has(request)));
    failed = frozen || failedBefore + 1 === MAX_ATTEMPTS ? [] : settled.filter(isFailed);
    const final = settled.filter((item) => !failed.includes(item));
    items.push(...final);
    await whileAtBlock?.(final);
    waiting = failed.map(({ request }) => request);
  }
  return { items, skipped };
}

/**
 * Returns the entry for a plan that cannot be judged, with the reason.
 *
 * @throws the error, if it has another reason
 */
export function skipUnsettled(request: TradeRequest, error: unknown): SkippedPlan {
  if (!(error instanceof UnsettledError)) throw error;
  const kind = error instanceof NodeLossError ? 'not-read' : 'not-funded';
  return skip(request, kind, error.message);
}

/** Returns the entry for a plan that was not settled. */
export function skip(
  request: TradeRequest,
  kind: SkippedPlan['kind'],
  reason: string,
): SkippedPlan {
  return { trade: describeTrade(request), kind, reason };
}

function skipInvalid({ request, exchange }: Quote, reason: string): SkippedPlan {
  return { ...skip(request, 'wrong-token', reason), exchange };
}

/**
 * Returns how a plan sells or buys another token than requested; undefined if it does not. Settling
 * such a plan would only fail in many other ways.
 */
function wrongTokenOf(
  { request, plan }: Quote,
  { wrappedNative }: Pick<ForkedMarket['fork'], 'wrappedNative'>,
): string | undefined {
  const words = (['sell', 'buy'] as const).flatMap((side) => {
    const { token } = plan[side];
    const requested = request[side];
    if (requested.native ? isNative(token, wrappedNative) : sameAddress(token, requested.address)) {
      return [];
    }
    return [`${side}s ${token} instead of ${requested.address}`];
  });
  return words.length === 0 ? undefined : `the plan ${words.join(' and ')}`;
}

function isNative(token: Address, wrappedNative: Address | undefined): boolean {
  return (
    wrappedNative === undefined ||
    token === wrappedNative ||
    NATIVE_ALIASES.some((alias) => sameAddress(token, alias))
  );
}

/** Returns whether the market is known to be unchanged since the plans were quoted. */
function isFrozen({ service, fork }: ForkedMarket): boolean {
  return service.frozen || fork.stoodStill();
}

/** Requests one trade without moving the fork. Returns undefined if there is no calldata for it. */
export async function requestTrade(
  { service }: ForkedMarket,
  request: TradeRequest,
): Promise<Trade | undefined> {
  const exchange = await service.get(targetOf(request));
  const plan = readSwapPlan(exchange);
  return plan?.transaction && { request, exchange, plan, transaction: plan.transaction };
}

/** Requests trades concurrently, brings the fork up to date, and returns the plans. */
export async function requestQuotes(
  { service, fork }: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<readonly Quote[]> {
  const replies = await Promise.all(
    requests.map(async (request) => ({
      request,
      exchange: await service.get(targetInNotation(request)),
    })),
  );
  await fork.refresh();
  return replies.flatMap(({ request, exchange }): readonly Quote[] => {
    const plan = readSwapPlan(exchange);
    return plan === undefined ? [] : [{ request, exchange, plan }];
  });
}

/** Requests trades as `requestQuotes` does, and returns the plans that have calldata. */
export async function requestTrades(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<readonly Trade[]> {
  const quotes = await requestQuotes(forked, requests);
  return quotes.flatMap((quote): readonly Trade[] => {
    const { transaction } = quote.plan;
    return transaction === undefined ? [] : [{ ...quote, transaction }];
  });
}
