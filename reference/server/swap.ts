import type { NoRoute, RoutingPlan } from '../routing/plan.ts';
import { constraintsOf } from './capability.ts';
import type { ServedChain } from './chain.ts';
import { type Refusal, refuse } from './errors.ts';
import type { EncoderTable, Planner } from './options.ts';
import type { PlanningQueue } from './planning-queue.ts';
import { createRecentCache, type RecentCache } from './recent-cache.ts';
import type { SwapRequest } from './swap-request.ts';
import { describePlan } from './swap-response.ts';
import { addressOf, refuseNoEncoder, resolveTrade, type Trade } from './trade.ts';

/** Body of a reply, or why there is none. */
export type SwapOutcome = { readonly kind: 'body'; readonly body: Buffer | string } | Refusal;

/** What swaps are answered with. */
export type SwapService = {
  readonly planner: Planner;
  readonly encoders: EncoderTable;
  readonly queue: PlanningQueue;
  readonly clock: () => number;
  readonly planCacheSize: number;
};

/** A plan with its reply, kept for requests that repeat. */
type Quote = {
  readonly kind: 'quote';
  readonly plan: RoutingPlan;
  readonly body: Buffer;
  /** The last reply with calldata: who asks again mostly asks the same. */
  settled?: { readonly key: string; readonly body: Buffer };
};

const LOST_RETRY_S = 5;
const DEADLINE_STEP_S = 60;
const DEADLINE_STEPS = 30;

/**
 * Returns the function that answers `/swap` on a chain. Plans are kept by
 * router, both sides and amount, with the state of the market that they were
 * made of: they hold as long as it does. Only plans that are not kept wait in
 * the queue.
 *
 * @see Specification 4.1
 */
export function createSwapAnswer({ planner, encoders, queue, clock, planCacheSize }: SwapService) {
  const kept = new WeakMap<ServedChain, RecentCache<Quote | Refusal>>();

  function quotesOf(chain: ServedChain): RecentCache<Quote | Refusal> {
    const known = kept.get(chain);
    if (known) return known;
    const quotes = createRecentCache<Quote | Refusal>(planCacheSize);
    kept.set(chain, quotes);
    return quotes;
  }

  function quoteTrade({ chain, request, router }: Trade): Quote | Refusal {
    const { market } = chain;
    const plan = planner(market, {
      sellToken: addressOf(request.sell, chain),
      buyToken: addressOf(request.buy, chain),
      swapKind: request.swapKind,
      amount: request.amount,
      constraints: constraintsOf(router, encoders),
    });
    if (plan.kind === 'no-route') return refuseNoRoute(plan);
    const { sell, buy } = request;
    const response = describePlan(chain, { plan, sell, buy, router: router.name });
    return { kind: 'quote', plan, body: Buffer.from(JSON.stringify(response)) };
  }

  function settle({ chain, request, router }: Trade, quote: Quote): SwapOutcome {
    if (!request.settlement) return { kind: 'body', body: quote.body };
    const encoder = encoders[router.name];
    if (!encoder) return refuseNoEncoder(router.name);
    const { user, recipient, slippageBps } = request.settlement;
    const deadline = deadlineAt(clock(), chain);
    const key = `${user} ${recipient} ${slippageBps} ${deadline}`;
    if (quote.settled?.key === key) return { kind: 'body', body: quote.settled.body };
    const { calldata, gasLimit } = encoder.encode(quote.plan, {
      router,
      wrappedNative: chain.market.wrappedNative,
      sellNative: request.sell === 'native',
      buyNative: request.buy === 'native',
      user,
      ...(recipient && { recipient }),
      slippageBps,
      deadline,
    });
    // The fields are hex and digits: they go in front of the closing brace as they are.
    const plan = quote.body.toString('utf8', 0, quote.body.length - 1);
    const address = chain.checksumOf(router.address);
    const body = Buffer.from(
      `${plan},"routerAddress":"${address}","calldata":"${calldata}","gasLimit":"${gasLimit}"}`,
    );
    quote.settled = { key, body };
    return { kind: 'body', body };
  }

  async function planAndSettle(
    key: string,
    trade: Trade,
    isAbandoned: () => boolean,
  ): Promise<SwapOutcome> {
    const quotes = quotesOf(trade.chain);
    const outcome = await queue.run(() => {
      const quote = quotes.get(key) ?? quoteTrade(trade);
      quotes.set(key, quote);
      return quote;
    }, isAbandoned);
    if (outcome.kind === 'shed') return refuseOverload(outcome.retryAfterMs);
    if (outcome.kind === 'abandoned') return refuseOverload(0);
    return outcome.value.kind === 'quote' ? settle(trade, outcome.value) : outcome.value;
  }

  return (
    chain: ServedChain,
    request: SwapRequest,
    isAbandoned: () => boolean,
  ): SwapOutcome | Promise<SwapOutcome> => {
    const trade = resolveTrade(chain, request, encoders);
    if (trade.kind === 'refusal') return trade;
    if (chain.isLost) return refuseLost(chain);
    const key = keyOf(request);
    const quote = quotesOf(chain).get(key);
    if (!quote) return planAndSettle(key, trade, isAbandoned);
    return quote.kind === 'quote' ? settle(trade, quote) : quote;
  };
}

function keyOf({ router, sell, buy, swapKind, amount }: SwapRequest): string {
  return `${router} ${sell} ${buy} ${swapKind} ${amount}`;
}

/**
 * Returns when calldata expires, in Unix seconds: 29 to 30 minutes from now, or
 * from the market's block where a frozen chain is ahead. Whole minutes, so that
 * replies repeat.
 */
function deadlineAt(nowMs: number, { market }: ServedChain): bigint {
  const now = Math.max(nowMs / 1000, market.block.timestamp);
  return BigInt((Math.floor(now / DEADLINE_STEP_S) + DEADLINE_STEPS) * DEADLINE_STEP_S);
}

function refuseNoRoute({ reason }: NoRoute): Refusal {
  switch (reason) {
    case 'disconnected':
      return refuse('NO_ROUTE', 'No path of pools joins the tokens for this router.');
    case 'insufficient-liquidity':
      return refuse('INSUFFICIENT_LIQUIDITY', 'The pools hold less than the trade needs.');
    case 'dust':
      return refuse('AMOUNT_TOO_SMALL', 'The amount is so small that nothing comes out.');
  }
}

function refuseLost({ market }: ServedChain): Refusal {
  const message = `Chain ${market.chainId} could not be read for a while: ask again later.`;
  return { ...refuse('MARKET_LOST', message), retryAfterS: LOST_RETRY_S };
}

function refuseOverload(retryAfterMs: number): Refusal {
  const message = 'More trades wait than can be planned in time: ask again later.';
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return { ...refuse('OVERLOADED', message, { retryAfterMs }), retryAfterS };
}
