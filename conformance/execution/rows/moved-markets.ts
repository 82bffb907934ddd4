import {
  type SwapPlan,
  type SwapStep,
  type Trade,
  tokenBought,
  tokenSold,
} from '../../model/settlement.ts';
import { maxSold, minBought, type TradeRequest } from '../../model/trade-request.ts';
import type { Fork } from '../fork/fork.ts';
import { poolTradeIn } from '../fork/pool-scenario.ts';
import { repeatableCircumstances } from '../scenario/circumstances.ts';
import { callOf, scenarioOf } from '../scenario/scenario.ts';
import { type Impossible, impossible, isImpossible } from '../settle/impossible.ts';
import { type FoundMarket, searchMarkets } from '../settle/market-search.ts';
import { MILLION, moveCall, type PoolTrade, traderAt } from '../settle/pool-trader.ts';
import { combine, type Provision } from '../settle/provision.ts';
import { readAddress } from '../settle/read-swap-plan.ts';
import { traderFor } from './pool-yields.ts';

/** A market in which others have traded, and the yield of a plan there, in base units. */
export type MovedMarket = {
  /** Trades that move the market before the plan is settled. */
  readonly provision: Provision;
  readonly received: bigint;
};

/** A trade in a market that can be moved. */
export type MovableTrade = { readonly request: TradeRequest; readonly plan: SwapPlan };

/**
 * Sizes of moves against a plan, from a few millionths to several hundred thousand times its
 * amounts.
 */
const AGAINST = { first: 8n, last: 8n << 36n, nearness: MILLION / 11n, rises: false } as const;
const IN_FAVOR = {
  first: MILLION / 512n,
  last: MILLION << 11n,
  nearness: 3n * MILLION,
  rises: true,
};
/** If we cannot trade in a market, the trade itself is repeated to move the market. */
const REPEATED = { ...AGAINST, first: 2n, last: 32n } as const;
/** Maximum loss. A larger loss shows nothing more. */
const MAX_LOSS_BPS = 9_500n;

const NOT_TRADED = 'one of its pools cannot be traded with directly';
const NOT_REPEATED = 'its calldata for a tolerance of 1 does not settle twice';

/**
 * Returns markets on both sides of a trade's limit, ordered by their moves against the trade's
 * plan, or the reason why there are none. Our own trades in the plan's pools move the
 * markets, without a router or the service's calldata.
 */
export async function marketsByPools(
  fork: Fork,
  trade: MovableTrade,
): Promise<readonly MovedMarket[] | Impossible> {
  const moving = poolTradeIn(fork, trade);
  if (isImpossible(moving)) return moving;
  const trader = await traderFor(fork, moving, AGAINST.last);
  if (isImpossible(trader)) return trader;
  const markets = await searchMarkets(fork, {
    account: fork.accounts.trader,
    provision: trader,
    moving,
    measured: { trade: moving, millionths: limitOf(trade).sold },
    search: { ...AGAINST, last: trader.maxMove, limits: limitsAround(trade) },
  });
  if (markets.length === 0) return impossible(NOT_TRADED);
  return markets.flatMap(movedBy(fork, moving, trader, trade));
}

/**
 * Returns markets around the limit of a trade whose pools cannot all be traded with, such as orders
 * of market makers and pools within one contract. The user measures the yield with calldata for the
 * same trade without protection. Our own trades move the pools of the sold token that can be traded
 * with. If there are none, that calldata is repeated.
 */
export async function marketsByCalldata(
  fork: Fork,
  trade: Trade,
  unprotected: Trade,
): Promise<readonly MovedMarket[] | Impossible> {
  const scenario = await scenarioOf(fork, unprotected, repeatableCircumstances(fork));
  if (isImpossible(scenario)) return scenario;
  const { user: account, recipient = account, swapKind } = trade.request;
  const call = callOf(unprotected);
  const byCalldata = {
    account,
    measured: {
      call,
      sold: tokenSold(trade),
      bought: tokenBought(trade),
      payee: recipient,
      maxSold: swapKind === 'exact-output' ? maxSold(trade.request, trade.plan) : 0n,
    },
  };
  const limits = limitsAround(trade);
  const moving = firstTradeOf(fork, trade.plan);
  if (!isImpossible(moving)) {
    const trader = await traderFor(fork, moving, AGAINST.last);
    const sold = trade.request.sell.native ? undefined : trade.plan.sell;
    const user = await traderFor(fork, moving, AGAINST.last, { account, sold });
    if (!isImpossible(trader) && !isImpossible(user)) {
      const found = await searchMarkets(fork, {
        ...byCalldata,
        provision: combine(scenario, user),
        moving,
        search: { ...AGAINST, last: user.maxMove, limits },
      });
      const moved = found.flatMap(movedBy(fork, moving, trader, trade));
      if (moved.length > 0) return moved;
    }
  }
  const found = await searchMarkets(fork, {
    ...byCalldata,
    provision: combine(scenario, traderAt(account)),
    search: { ...REPEATED, limits },
  });
  const repeated = found.flatMap(({ move, received }): MovedMarket[] => {
    const before = Array.from({ length: Number(move) }, () => call);
    const { overrides } = scenario;
    return move === 0n ? [] : [{ provision: { overrides, before }, received }];
  });
  return repeated.length > 0 ? repeated : impossible(NOT_REPEATED);
}

function firstTradeOf(fork: Fork, plan: SwapPlan): PoolTrade | Impossible {
  const isFirst = ({ from, to, pool }: SwapStep) =>
    readAddress(pool) !== undefined &&
    [...from, ...to].every(({ token }) => [from[0]?.token, to[0]?.token].includes(token)) &&
    from[0]?.token === plan.sell.token;
  const steps = plan.steps.filter(isFirst);
  const [first] = steps;
  if (first === undefined) return impossible(NOT_TRADED);
  const amount = steps.flatMap(({ from }) => from).reduce((sum, leg) => sum + leg.amount, 0n);
  const part = { ...plan, sell: { ...plan.sell, amount }, buy: first.to[0] ?? plan.buy, steps };
  return poolTradeIn(fork, { plan: part });
}

/**
 * Returns markets that our own trades have moved in the user's favor, around those limits of the
 * yield that can be reached. The first market is not moved.
 */
export async function marketsInFavor(
  fork: Fork,
  trade: MovableTrade,
  limits: readonly bigint[],
): Promise<readonly MovedMarket[]> {
  const measured = poolTradeIn(fork, trade);
  const moving = poolTradeIn(fork, { plan: reversed(trade.plan) });
  if (isImpossible(measured) || isImpossible(moving)) return [];
  const trader = await traderFor(fork, moving, IN_FAVOR.last, { sold: measured.needs });
  if (isImpossible(trader)) return [];
  const markets = await searchMarkets(fork, {
    account: fork.accounts.trader,
    provision: trader,
    moving,
    measured: { trade: measured, millionths: MILLION },
    search: { ...IN_FAVOR, last: trader.maxMove, limits },
  });
  const [present, ...moved] = markets;
  if (present?.move !== 0n) return [];
  const { received } = present;
  return [{ received, provision: trader }, ...moved.flatMap(movedBy(fork, moving, trader, trade))];
}

function reversed(plan: SwapPlan): SwapPlan {
  const steps = plan.steps.map((step) => ({ ...step, from: step.to, to: step.from }));
  return { ...plan, sell: plan.buy, buy: plan.sell, steps };
}

function movedBy(
  { accounts }: Fork,
  moving: PoolTrade,
  { overrides }: Provision,
  { request }: MovableTrade,
) {
  return ({ move, received }: FoundMarket): readonly MovedMarket[] => {
    const before = [moveCall(moving, move, { from: request.user, to: accounts.trader })];
    return move === 0n ? [] : [{ provision: { overrides, before }, received }];
  };
}

/** Returns the possible rounding error of a router: base units, or a millionth of the amount. */
function uncertaintyOf(amount: bigint): bigint {
  return 2n + amount / 1_000_000n;
}

/**
 * The yield of a trade at the limit of its tolerance. For exact output, the trade sells the
 * maximum.
 */
type Limit = {
  /** Sold amount, in millionths of the planned amount. */
  readonly sold: bigint;
  /** Yield in base units of the bought token. */
  readonly yielded: bigint;
};

function limitOf({ request, plan }: MovableTrade): Limit {
  const { swapKind, slippageBps = 0 } = request;
  return swapKind === 'exact-input'
    ? { sold: MILLION, yielded: minBought(request, plan) }
    : { sold: (MILLION * BigInt(10_000 + slippageBps)) / 10_000n, yielded: plan.buy.amount };
}

/**
 * Returns yields on both sides of the limit of a trade. For a yield in between, it is uncertain
 * whether the market is within the limit.
 */
function limitsAround(trade: MovableTrade): readonly bigint[] {
  const { yielded } = limitOf(trade);
  const rounding = uncertaintyOf(yielded);
  const within = maxOf(yielded + rounding, yieldAtMaxLoss(trade));
  return yielded > rounding ? [within, yielded - rounding] : [within];
}

/**
 * Returns whether a market is certainly beyond the limit of a trade, however that limit is rounded.
 */
export function isBeyond(
  { received }: Pick<MovedMarket, 'received'>,
  trade: MovableTrade,
): boolean {
  return received + uncertaintyOf(received) < limitOf(trade).yielded;
}

/**
 * Returns whether a market is certainly within the limit of a trade, however that limit is rounded,
 * and within the maximum loss.
 */
export function isWithin(
  { received }: Pick<MovedMarket, 'received'>,
  trade: MovableTrade,
): boolean {
  const { yielded } = limitOf(trade);
  return received - uncertaintyOf(received) >= yielded && received >= yieldAtMaxLoss(trade);
}

function yieldAtMaxLoss({ request, plan }: MovableTrade): bigint {
  const { amount } = plan.buy;
  const [part, whole] =
    request.swapKind === 'exact-input'
      ? [10_000n - MAX_LOSS_BPS, 10_000n]
      : [10_000n + BigInt(request.slippageBps ?? 0), 10_000n + MAX_LOSS_BPS];
  return (amount * part + whole - 1n) / whole;
}

function maxOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/**
 * Returns the user's loss in a market compared with the quote, in fractional basis points. Each
 * further unit from a pool costs more, so an exact output exceeds its limit by at least the share
 * by which the limit's yield falls short.
 */
export function lossBps({ request, plan }: MovableTrade, { received }: MovedMarket): number {
  const { amount } = plan.buy;
  if (request.swapKind === 'exact-input') return ratioOf(amount - received, amount);
  const limit = BigInt(10_000 + (request.slippageBps ?? 0));
  return ratioOf(limit * amount - 10_000n * received, 10_000n * received);
}

const PRECISION = 1_000_000_000_000n;

function ratioOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * PRECISION) / whole) / (Number(PRECISION) / 10_000);
}
