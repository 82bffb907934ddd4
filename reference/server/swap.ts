import { setImmediate } from 'node:timers/promises';
import type PQueue from 'p-queue';
import { getAddress } from 'viem/utils';
import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { PlanTooLargeError } from '../encoding/encoder.ts';
import type { Maker } from '../makers/maker.ts';
import { withQuotes } from '../makers/request-quotes.ts';
import type { Market } from '../market/market.ts';
import type { NoRoute, RoutingPlan, RoutingRequest } from '../planner/graph/plan.ts';
import { type ErrorCode, RequestError } from './errors.ts';
import { invalid } from './parameters.ts';
import type { PlannedSwap } from './served-chain.ts';
import { describePlan } from './swap-response.ts';
import type { SettlementRequest, Trade } from './trade.ts';

/** Returns the requested plan, or the reason why there is none. May plan in another thread. */
export type PlanTrade = (
  market: Market,
  request: RoutingRequest,
) => RoutingPlan | NoRoute | Promise<RoutingPlan | NoRoute>;

/** The parts of the service that `/swap` needs. */
export type SwapService = {
  readonly planner: PlanTrade;
  /** Trades that wait to be planned, and those whose plan is in progress. */
  readonly queue: PQueue;
  /** Maximum number of waiting trades. Further trades are rejected. */
  readonly maxQueued: number;
  readonly clock: () => number;
  readonly makers: readonly Maker[];
  /** Pending requests to makers, keyed by trade. Equal trades share them. */
  readonly quoting: Map<string, Promise<QuotedMarket>>;
};

type QuotedMarket = { readonly market: Market; readonly freshUntilMs: number };

/** Maximum number of plans in progress, enough that the planning thread always has a next trade. */
export const MAX_RUNNING = 8;

/** Makers withdraw prices, so their orders are requested again after this time. */
const MAX_QUOTE_AGE_MS = 2_000;
const DEADLINE_STEP_S = 60;
const DEADLINE_STEPS = 30;

/**
 * Returns the reply to `/swap`. Only a trade without a cached plan waits in the queue, and it
 * leaves the queue when its client has `gone`.
 *
 * @throws {RequestError} if there is no plan, or no room in the queue
 * @see Specification 4.1
 */
export async function swap(
  service: SwapService,
  trade: Trade,
  gone: AbortSignal,
): Promise<SwapResponse> {
  const { chain } = trade;
  if (chain.isLost) {
    const message = `The last known state of chain ${chain.market.chainId} is too old to trade on: try again later.`;
    throw new RequestError('MARKET_LOST', message, { headers: { 'Retry-After': '5' } });
  }
  const planned = cachedPlan(service, trade) ?? (await plan(service, trade, gone));
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
  gone: AbortSignal,
): Promise<PlannedSwap | RequestError> {
  const { chain, usesMakers } = trade;
  // A request that the full queue rejects must not cause requests to makers.
  checkRoom(service);
  const quoted = usesMakers
    ? await requestQuotes(service, trade)
    : { market: chain.market, freshUntilMs: Number.POSITIVE_INFINITY };
  checkRoom(service);
  const planInTurn = async () => {
    // Between two plans in this thread, the service reads requests and sends replies.
    await setImmediate();
    gone.throwIfAborted();
    // A request for the same trade may have been planned in the meantime.
    const known = cachedPlan(service, trade);
    if (known) return known;
    return cachePlan(trade, await service.planner(quoted.market, trade.routing), quoted);
  };
  try {
    return await service.queue.add(planInTurn, { signal: gone });
  } catch (error) {
    throw gone.aborted ? overloaded() : error;
  }
}

function checkRoom({ queue, maxQueued }: SwapService): void {
  if (queue.size >= maxQueued) throw overloaded();
}

function overloaded(): RequestError {
  const message = 'Too many trades are waiting to be planned: try again later.';
  const details = { retryAfterMs: 1000 };
  return new RequestError('OVERLOADED', message, { details, headers: { 'Retry-After': '1' } });
}

function requestQuotes(service: SwapService, trade: Trade): Promise<QuotedMarket> {
  const { clock, makers, quoting } = service;
  const { chain, router, routing } = trade;
  const key = `${chain.market.chainId} ${chain.market.block.hash} ${keyOf(trade)}`;
  const freshUntilMs = clock() + MAX_QUOTE_AGE_MS;
  const request = { ...routing, taker: router.address };
  const quoted =
    quoting.get(key) ??
    withQuotes(chain.market, request, makers)
      .then((market) => ({ market, freshUntilMs }))
      .finally(() => quoting.delete(key));
  quoting.set(key, quoted);
  return quoted;
}

function cachePlan(
  trade: Trade,
  found: RoutingPlan | NoRoute,
  { freshUntilMs }: QuotedMarket,
): PlannedSwap | RequestError {
  const planned =
    found.kind === 'no-route'
      ? new RequestError(...NO_PLAN[found.reason])
      : { plan: found, reply: describePlan(trade, found), freshUntilMs };
  // A trade without a plan will have none until the market changes, unless makers quote it later.
  if (found.kind === 'plan' || !trade.usesMakers) trade.chain.plans.set(keyOf(trade), planned);
  return planned;
}

const NO_PLAN: Readonly<Record<NoRoute['reason'], readonly [ErrorCode, string]>> = {
  disconnected: ['NO_ROUTE', 'No path of pools connects the tokens for this router.'],
  'insufficient-liquidity': ['INSUFFICIENT_LIQUIDITY', 'The pools hold less than the trade needs.'],
  dust: ['AMOUNT_TOO_SMALL', 'The amount is so small that it buys nothing.'],
};

function settle(
  { chain, router, sell, buy, settlement }: Trade,
  planned: PlannedSwap,
  nowMs: number,
): Pick<SwapResponse, 'routerAddress' | 'calldata' | 'gasLimit'> {
  if (!settlement) return {};
  const { encode, ...request } = settlement;
  rejectMakers(planned.plan, request);
  try {
    const { calldata, gasLimit } = encode(planned.plan, {
      ...request,
      router,
      wrappedNative: chain.market.wrappedNative,
      sellNative: sell === 'native',
      buyNative: buy === 'native',
      deadline: deadlineAt(nowMs, chain.market),
    });
    return { routerAddress: getAddress(router.address), calldata, gasLimit: `${gasLimit}` };
  } catch (error) {
    if (error instanceof PlanTooLargeError) throw tooLarge(planned.plan, error);
    throw error;
  }
}

function tooLarge({ swapKind, sellAmount, buyAmount }: RoutingPlan, { message }: Error) {
  const [parameter, value] =
    swapKind === 'exact-input' ? ['sellAmount', sellAmount] : ['buyAmount', buyAmount];
  const text = `Parameter '${parameter}' is '${value}', but ${message}. Request a smaller amount, or omit includeCalldata.`;
  return new RequestError('AMOUNT_TOO_LARGE', text, { details: { parameter, value: `${value}` } });
}

/**
 * Rejects a payer or recipient whose orders the plan fills. Routers measure the output at the
 * recipient. If a pool filled another of the recipient's orders, the pool's payment for that order
 * would count as output.
 */
function rejectMakers({ swaps }: RoutingPlan, { user, recipient }: SettlementRequest): void {
  const makers = new Set(swaps.flatMap(({ pool }) => ('order' in pool ? [pool.order.maker] : [])));
  for (const [name, address] of Object.entries({
    userAddress: user,
    recipientAddress: recipient,
  })) {
    if (address === undefined || !makers.has(address)) continue;
    throw invalid(name, address, 'an account that is not a market maker in the plan');
  }
}

/**
 * Returns Unix seconds, 29 to 30 minutes from now, or from the market's block if a frozen chain is
 * ahead of the clock. Always a whole minute, so that equal requests have equal replies.
 */
function deadlineAt(nowMs: number, { block }: Market): bigint {
  const now = Math.max(nowMs / 1000, block.timestamp);
  return BigInt((Math.floor(now / DEADLINE_STEP_S) + DEADLINE_STEPS) * DEADLINE_STEP_S);
}
