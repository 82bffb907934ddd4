import { given } from '../../conformance/output/option-values.ts';
import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { Duel, Estimate } from '../model/metrics.ts';
import { bootstrapMean, bootstrapMedian, shareOf } from '../statistics/estimate.ts';
import {
  aheadBps,
  byLadder,
  gasUsd,
  outcomeAt,
  pricesOf,
  type Quote,
  type Settled,
  settledAt,
  valueUsd,
} from './quote.ts';

type Pairing = {
  readonly ladder: number;
  readonly won: number | undefined;
  readonly marginBps: number | undefined;
  readonly latencyLog: number | undefined;
};

/**
 * Returns a comparison of two services on the same trades, requested at the same time and settled
 * at the same block.
 */
export function duelOf(
  [one, other]: readonly [number, number],
  names: readonly string[],
  trades: readonly MeasuredTrade[],
  seed: number,
): Duel {
  const pairings = trades.map((trade) => pair(trade, one, other));
  const clusters = (metric: keyof Omit<Pairing, 'ladder'>) =>
    byLadder(pairings, (pairing) => pairing[metric]);
  const count = (result: number) => pairings.filter(({ won }) => won === result).length;
  const [wins, losses, ties] = [count(1), count(0), count(0.5)];
  const winRate = shareOf(wins, wins + losses);
  const marginBps = bootstrapMean(clusters('marginBps'), seed);
  const medianMarginBps = bootstrapMedian(clusters('marginBps'), seed);
  const latencyRatio = exponential(bootstrapMean(clusters('latencyLog'), seed));
  return {
    one: names[one] ?? '',
    other: names[other] ?? '',
    trades: wins + losses + ties,
    ties,
    ...given({ winRate, marginBps, medianMarginBps, latencyRatio }),
  };
}

function exponential(estimate: Estimate | undefined): Estimate | undefined {
  if (estimate === undefined) return undefined;
  const { count, value, low, high } = estimate;
  const isBounded = low !== undefined && high !== undefined;
  return {
    count,
    value: Math.exp(value),
    ...(isBounded && { low: Math.exp(low), high: Math.exp(high) }),
  };
}

function pair(trade: MeasuredTrade, one: number, other: number): Pairing {
  const [mine, theirs] = [trade.answers[one], trade.answers[other]];
  const [gained, theirGain] = [gainOf(trade, one), gainOf(trade, other)];
  const hasLatency = mine && theirs && 'latencyMs' in mine && 'latencyMs' in theirs;
  const haveBoth = typeof gained === 'object' && typeof theirGain === 'object';
  const marginBps = haveBoth ? leadOf(trade, gained, theirGain) : undefined;
  return {
    ladder: trade.ladder,
    won: haveBoth ? wonBy(marginBps) : wonUnopposed(gained, theirGain),
    marginBps,
    latencyLog: hasLatency ? Math.log(mine.latencyMs / theirs.latencyMs) : undefined,
  };
}

function wonBy(marginBps: number | undefined): number | undefined {
  if (marginBps === undefined) return undefined;
  return marginBps === 0 ? 0.5 : Number(marginBps > 0);
}

/**
 * A service that settles a trade wins against a service that does not. If neither settles, no
 * service wins.
 */
function wonUnopposed(mine: Gain, theirs: Gain): number | undefined {
  if (mine === undefined || theirs === undefined || mine === theirs) return undefined;
  return Number(theirs === 'nothing');
}

/** `nothing` if the service did not settle; undefined if the gain is unknown. */
type Gain = { readonly settled: Settled; readonly usd: number | undefined } | 'nothing' | undefined;

/**
 * Returns the lead of the first service in basis points of the trade's value, after gas. Selling
 * less is as good as buying more. If a token has no price, or the gas of one service is unknown,
 * compares the settled prices without gas, because that service would otherwise pay none.
 */
function leadOf(
  trade: MeasuredTrade,
  one: Exclude<Gain, 'nothing' | undefined>,
  other: Exclude<Gain, 'nothing' | undefined>,
): number | undefined {
  if (one.usd !== undefined && other.usd !== undefined) {
    return ((one.usd - other.usd) / valueUsd(trade)) * 10_000;
  }
  return aheadBps(
    [BigInt(one.settled.received), BigInt(other.settled.spent)],
    [BigInt(other.settled.received), BigInt(one.settled.spent)],
  );
}

function gainOf(trade: MeasuredTrade, service: number): Gain {
  const answer = trade.answers[service];
  if (answer?.kind !== 'quoted') return 'nothing';
  const quote: Quote = { trade, answer };
  const settled = settledAt(quote, 0);
  if (settled === undefined) {
    return outcomeAt(quote, 0)?.kind === 'reverted' ? 'nothing' : undefined;
  }
  const prices = pricesOf(trade);
  const gas = gasUsd(quote);
  const usd = (amount: string, decimals: number, price: number) =>
    (Number(amount) / 10 ** decimals) * price;
  const { sell, buy } = trade;
  if (prices.buy === undefined || prices.sell === undefined || gas === undefined) {
    return { settled, usd: undefined };
  }
  const gained = usd(settled.received, buy.decimals, prices.buy);
  const paid = usd(settled.spent, sell.decimals, prices.sell);
  return { settled, usd: gained - paid - gas };
}
