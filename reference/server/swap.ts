import { type MissingQuote, withQuotes } from '../makers/ask-makers.ts';
import type { Maker } from '../makers/maker.ts';
import type { Market } from '../market/market.ts';
import { keptWith } from '../planner/domain/kept-with.ts';
import { createRecentCache, type RecentCache } from '../planner/domain/recent-cache.ts';
import type { NoRoute, RoutingPlan } from '../planner/graph/plan.ts';
import { type Refusal, refuse, refuseOverload } from './errors.ts';
import type { Planner } from './options.ts';
import type { JobOutcome, PlanningQueue } from './planning-queue.ts';
import { type ResolvedSwap, resolveSwap } from './resolve-swap.ts';
import type { ServedChain } from './served-chain.ts';
import type { SwapRequest } from './swap-request.ts';
import { writePlan } from './swap-response.ts';

/** Body of a reply, or why there is none. */
export type SwapOutcome = { readonly kind: 'body'; readonly body: Buffer | string } | Refusal;

/** What swaps are answered with. */
export type SwapService = {
  readonly planner: Planner;
  readonly queue: PlanningQueue;
  readonly clock: () => number;
  readonly planCacheSize: number;
  readonly makers: readonly Maker[];
  readonly onMissingQuote: (missing: MissingQuote) => void;
};

/** Makes of a plan what is answered. */
export type Respond = (swap: ResolvedSwap, planned: PlannedSwap, nowMs: number) => SwapOutcome;

/** A plan with its reply, kept for requests that repeat. */
type PlannedSwap = {
  readonly kind: 'planned';
  readonly plan: RoutingPlan;
  readonly body: Buffer;
  /** When orders in it are to be asked for anew, by the clock; unset where there are none. */
  readonly freshUntil?: number;
  /** The last reply with calldata: who asks again mostly asks the same. */
  settled?: { readonly key: string; readonly body: Buffer };
};

const LOST_RETRY_S = 5;
/** How long makers' orders are taken to stand: a price that a maker takes back is asked for no more. */
const QUOTES_STAND_MS = 2_000;
const DEADLINE_STEP_S = 60;
const DEADLINE_STEPS = 30;

/**
 * Returns the function that answers `/swap` on a chain. Plans are kept by
 * router, both sides and amount, with the state of the market that they were
 * made of: they hold as long as it does. Only plans that are not kept wait in
 * the queue. The reply is the operation's, or what `respond` makes of the plan.
 *
 * @see Specification 4.1
 */
export function createSwapAnswer(service: SwapService) {
  const { planner, queue, clock, planCacheSize, makers, onMissingQuote } = service;
  const plansOf = keptWith((_: ServedChain) =>
    createRecentCache<PlannedSwap | Refusal>(planCacheSize),
  );
  const answer = (
    swap: ResolvedSwap,
    planned: PlannedSwap | Refusal,
    respond: Respond,
  ): SwapOutcome => (planned.kind === 'planned' ? respond(swap, planned, clock()) : planned);

  const freshIn = (plans: RecentCache<PlannedSwap | Refusal>, key: string) => {
    const planned = plans.get(key);
    const { freshUntil = Number.POSITIVE_INFINITY } = planned?.kind === 'planned' ? planned : {};
    return clock() < freshUntil ? planned : undefined;
  };

  const quotedMarket = ({ chain, routing, router }: ResolvedSwap) =>
    withQuotes(chain.market, { ...routing, taker: router.address }, makers, onMissingQuote);

  const planAndAnswer = async (
    key: string,
    swap: ResolvedSwap,
    isAbandoned: () => boolean,
    respond: Respond,
  ): Promise<SwapOutcome> => {
    const plans = plansOf(swap.chain);
    // Makers are asked in the request's turn too: who is refused for load has cost them nothing.
    const quoted = swap.usesMakers
      ? await queue.run(() => quotedMarket(swap), isAbandoned)
      : undefined;
    if (quoted && quoted.kind !== 'done') return refuseUnplanned(quoted);
    const market = quoted ? await quoted.value : swap.chain.market;
    const outcome = await queue.run(() => {
      const planned = freshIn(plans, key) ?? planSwap(swap, market, planner, clock());
      // What pools refuse stays so for the block; makers may want the trade the next time.
      if (planned.kind === 'planned' || !swap.usesMakers) plans.set(key, planned);
      return planned;
    }, isAbandoned);
    return outcome.kind === 'done'
      ? answer(swap, outcome.value, respond)
      : refuseUnplanned(outcome);
  };

  return (
    chain: ServedChain,
    request: SwapRequest,
    isAbandoned: () => boolean,
    respond: Respond = settle,
  ): SwapOutcome | Promise<SwapOutcome> => {
    const swap = resolveSwap(chain, request);
    if (swap.kind === 'refusal') return swap;
    if (chain.isLost) return refuseLost(chain);
    const { router, sell, buy, swapKind, amount } = request;
    const key = `${router} ${sell} ${buy} ${swapKind} ${amount} ${swap.usesMakers}`;
    const planned = freshIn(plansOf(chain), key);
    return planned
      ? answer(swap, planned, respond)
      : planAndAnswer(key, swap, isAbandoned, respond);
  };
}

function refuseUnplanned(outcome: Exclude<JobOutcome<unknown>, { kind: 'done' }>): Refusal {
  return refuseOverload(outcome.kind === 'shed' ? outcome.retryAfterMs : 0);
}

function planSwap(
  swap: ResolvedSwap,
  market: Market,
  planner: Planner,
  nowMs: number,
): PlannedSwap | Refusal {
  const plan = planner(market, swap.routing);
  if (plan.kind === 'no-route') return refuseNoRoute(plan);
  const body = Buffer.from(writePlan(swap, plan));
  const freshUntil = swap.usesMakers ? { freshUntil: nowMs + QUOTES_STAND_MS } : {};
  return { kind: 'planned', plan, body, ...freshUntil };
}

/** The reply as it is asked for: with calldata, if so. */
function settle(swap: ResolvedSwap, planned: PlannedSwap, nowMs: number): SwapOutcome {
  const { chain, router, settlement } = swap;
  if (!settlement) return { kind: 'body', body: planned.body };
  const { user, recipient, slippageBps, encode } = settlement;
  const deadline = deadlineAt(nowMs, chain);
  const key = `${user} ${recipient} ${slippageBps} ${deadline}`;
  if (planned.settled?.key === key) return { kind: 'body', body: planned.settled.body };
  const { calldata, gasLimit } = encode(planned.plan, {
    router,
    wrappedNative: chain.market.wrappedNative,
    sellNative: swap.sell === 'native',
    buyNative: swap.buy === 'native',
    user,
    ...(recipient && { recipient }),
    slippageBps,
    deadline,
  });
  // The fields are hex and digits: they take the place of the closing brace as they are.
  const address = chain.checksumOf(router.address);
  const fields = `,"routerAddress":"${address}","calldata":"${calldata}","gasLimit":"${gasLimit}"}`;
  const body = Buffer.concat([planned.body.subarray(0, -1), Buffer.from(fields, 'latin1')]);
  planned.settled = { key, body };
  return { kind: 'body', body };
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
  const message = `What is known of chain ${market.chainId} is too old to trade on: ask again later.`;
  return { ...refuse('MARKET_LOST', message), retryAfterS: LOST_RETRY_S };
}
