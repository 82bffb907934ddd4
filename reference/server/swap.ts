import { getAddress } from 'viem/utils';
import type { SwapResponse } from '../../conformance/contract/resources.ts';
import type { Maker } from '../makers/maker.ts';
import { type MissingQuote, withQuotes } from '../makers/request-quotes.ts';
import type { Market } from '../market/market.ts';
import type { NoRoute } from '../planner/graph/plan.ts';
import { type ErrorCode, RequestError } from './errors.ts';
import type { Planner } from './options.ts';
import type { PlanningQueue } from './planning-queue.ts';
import type { PlannedSwap } from './served-chain.ts';
import { describePlan } from './swap-response.ts';
import type { Trade } from './trade.ts';

/** The parts of the service that `/swap` needs. */
export type SwapService = {
  readonly planner: Planner;
  readonly queue: PlanningQueue;
  readonly clock: () => number;
  readonly makers: readonly Maker[];
  readonly onMissingQuote: (missing: MissingQuote) => void;
};

/** Age in milliseconds after which makers' orders are requested again, since makers withdraw prices. */
const MAX_QUOTE_AGE_MS = 2_000;
const DEADLINE_STEP_S = 60;
const DEADLINE_STEPS = 30;

/**
 * Returns the reply to `/swap`. Only a trade without a cached plan waits in the queue.
 *
 * @throws {RequestError} if there is no plan, or no room in the queue
 * @see Specification 4.1
 */
export async function swap(
  service: SwapService,
  trade: Trade,
  isAbandoned: () => boolean,
): Promise<SwapResponse> {
  const { chain } = trade;
  if (chain.isLost) {
    const message = `The last known state of chain ${chain.market.chainId} is too old to trade on: try again later.`;
    throw new RequestError('MARKET_LOST', message, { retryAfterS: 5 });
  }
  const planned = cachedPlan(service, trade) ?? (await plan(service, trade, isAbandoned));
  if (planned instanceof RequestError) throw planned;
  return trade.settlement
    ? { ...planned.reply, ...settle(trade, planned, service.clock()) }
    : planned.reply;
}

function cachedPlan({ clock }: SwapService, trade: Trade): PlannedSwap | RequestError | undefined {
  const planned = trade.chain.plans.get(keyOf(trade));
  const isStale = planned && 'freshUntilMs' in planned && clock() >= planned.freshUntilMs;
  return isStale ? undefined : planned;
}

function keyOf({ router, sell, buy, routing, usesMakers }: Trade): string {
  return `${router.name} ${sell} ${buy} ${routing.swapKind} ${routing.amount} ${usesMakers}`;
}

async function plan(
  service: SwapService,
  trade: Trade,
  isAbandoned: () => boolean,
): Promise<PlannedSwap | RequestError> {
  const { queue, makers, onMissingQuote } = service;
  const { chain, router, routing, usesMakers } = trade;
  let { market } = chain;
  if (usesMakers) {
    // A request that the full queue rejects must not cause requests to the makers.
    queue.checkRoom();
    market = await withQuotes(
      market,
      { ...routing, taker: router.address },
      makers,
      onMissingQuote,
    );
  }
  return queue.run(() => {
    // A request for the same trade may have been planned in the meantime.
    const planned = cachedPlan(service, trade) ?? planNow(service, trade, market);
    // Without makers, a trade without a plan has none until the market changes.
    if (!(planned instanceof RequestError && usesMakers)) chain.plans.set(keyOf(trade), planned);
    return planned;
  }, isAbandoned);
}

function planNow(
  { planner, clock }: SwapService,
  trade: Trade,
  market: Market,
): PlannedSwap | RequestError {
  const found = planner(market, trade.routing);
  if (found.kind === 'no-route') return new RequestError(...NO_PLAN[found.reason]);
  const freshUntilMs = trade.usesMakers ? clock() + MAX_QUOTE_AGE_MS : Number.POSITIVE_INFINITY;
  return { plan: found, reply: describePlan(trade, found), freshUntilMs };
}

const NO_PLAN: Readonly<Record<NoRoute['reason'], readonly [ErrorCode, string]>> = {
  disconnected: ['NO_ROUTE', 'No path of pools connects the tokens for this router.'],
  'insufficient-liquidity': ['INSUFFICIENT_LIQUIDITY', 'The pools hold less than the trade needs.'],
  dust: ['AMOUNT_TOO_SMALL', 'The amount is so small that it buys nothing.'],
};

/** Returns the three fields that calldata adds to a reply (4.1 rule 4). */
function settle(
  { chain, router, sell, buy, settlement }: Trade,
  planned: PlannedSwap,
  nowMs: number,
): Pick<SwapResponse, 'routerAddress' | 'calldata' | 'gasLimit'> {
  if (!settlement) return {};
  const { encode, ...request } = settlement;
  const { calldata, gasLimit } = encode(planned.plan, {
    ...request,
    router,
    wrappedNative: chain.market.wrappedNative,
    sellNative: sell === 'native',
    buyNative: buy === 'native',
    deadline: deadlineAt(nowMs, chain.market),
  });
  return { routerAddress: getAddress(router.address), calldata, gasLimit: `${gasLimit}` };
}

/**
 * Returns the deadline of calldata in Unix seconds: 29 to 30 minutes from now, or from the
 * market's block if a frozen chain is ahead. It is a whole minute, so that equal requests have
 * equal replies.
 */
function deadlineAt(nowMs: number, { block }: Market): bigint {
  const now = Math.max(nowMs / 1000, block.timestamp);
  return BigInt((Math.floor(now / DEADLINE_STEP_S) + DEADLINE_STEPS) * DEADLINE_STEP_S);
}
