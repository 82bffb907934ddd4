import type { Duel } from '../model/figures.ts';
import type { MeasuredTrade } from '../model/measured-trade.ts';
import { bootstrapMean, bootstrapMedian, type Estimate } from '../statistics/estimate.ts';
import { byLadder } from './subject.ts';
import { gasUsd, pricesOf, type Quote, settledAt, worthUsd } from './worth.ts';

type Pairing = {
  readonly ladder: number;
  /** 1: the first won; 0.5: neither. */
  readonly won: number | undefined;
  readonly marginBps: number | undefined;
  readonly latencyLog: number | undefined;
};

/** Returns how two services compare on the same trades, asked for at one moment and settled on one block. */
export function duelOf(
  [one, other]: readonly [number, number],
  names: readonly string[],
  trades: readonly MeasuredTrade[],
  seed: number,
): Duel {
  const pairings = trades.map((trade) => pair(trade, one, other));
  const clusters = (figure: keyof Omit<Pairing, 'ladder'>) =>
    byLadder(pairings, (pairing) => pairing[figure]);
  const winRate = bootstrapMean(clusters('won'), seed);
  const marginBps = bootstrapMean(clusters('marginBps'), seed);
  const medianMarginBps = bootstrapMedian(clusters('marginBps'), seed);
  const latencyRatio = exponential(bootstrapMean(clusters('latencyLog'), seed));
  return {
    one: names[one] ?? '',
    other: names[other] ?? '',
    trades: pairings.filter(({ won }) => won !== undefined).length,
    ties: pairings.filter(({ won }) => won === 0.5).length,
    ...(winRate && { winRate }),
    ...(marginBps && { marginBps }),
    ...(medianMarginBps && { medianMarginBps }),
    ...(latencyRatio && { latencyRatio }),
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
  const [gained, theirGain] = [gainUsd(trade, one), gainUsd(trade, other)];
  const hasLatency = mine && theirs && 'latencyMs' in mine && 'latencyMs' in theirs;
  return {
    ladder: trade.ladder,
    won: outcomeOf(gained, theirGain),
    marginBps:
      typeof gained === 'number' && typeof theirGain === 'number'
        ? ((gained - theirGain) / worthUsd(trade)) * 10_000
        : undefined,
    latencyLog: hasLatency ? Math.log(mine.latencyMs / theirs.latencyMs) : undefined,
  };
}

/** Whoever settles wins over who does not; of two that do not, nobody. */
function outcomeOf(mine: number | 'nothing' | undefined, theirs: number | 'nothing' | undefined) {
  if (mine === undefined || theirs === undefined) return undefined;
  if (mine === 'nothing') return theirs === 'nothing' ? undefined : 0;
  if (theirs === 'nothing' || mine > theirs) return 1;
  return mine === theirs ? 0.5 : 0;
}

/**
 * Returns what a user gained by a service, in US dollars after gas, at prices
 * that are the same for all services; undefined where nobody knows.
 */
function gainUsd(trade: MeasuredTrade, service: number): number | 'nothing' | undefined {
  const answer = trade.answers[service];
  if (answer?.kind !== 'quoted') return 'nothing';
  const quote: Quote = { trade, answer };
  const settled = settledAt(quote, 0);
  if (settled === undefined) {
    return answer.outcomes.some(({ kind, blocks }) => blocks === 0 && kind === 'reverted')
      ? 'nothing'
      : undefined;
  }
  const prices = pricesOf(trade);
  const usd = (amount: string, decimals: number, price: number) =>
    (Number(amount) / 10 ** decimals) * price;
  const { sell, buy } = trade;
  const { received, spent } = settled;
  const gained = prices.buy === undefined ? undefined : usd(received, buy.decimals, prices.buy);
  const paid = prices.sell === undefined ? undefined : usd(spent, sell.decimals, prices.sell);
  if (gained === undefined || paid === undefined) return undefined;
  return gained - paid - (gasUsd(quote) ?? 0);
}
