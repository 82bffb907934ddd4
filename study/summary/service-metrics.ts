import { meanOf } from '../../conformance/model/statistics.ts';
import { given } from '../../conformance/output/option-values.ts';
import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { ServiceMetrics } from '../model/metrics.ts';
import { type StudySettings, SURVIVAL_BPS } from '../model/settings.ts';
import { bootstrapMean, bootstrapMedian, shareOf, spreadOf } from '../statistics/estimate.ts';
import {
  aheadBps,
  byLadder,
  gasUsd,
  isWithin,
  measure,
  outcomeAt,
  pairName,
  type Quote,
  quotesOf,
  receivedBps,
  type Subject,
  settledAt,
  valueUsd,
} from './quote.ts';

/** Returns the metrics of one service. */
export function serviceMetrics(
  name: string,
  service: number,
  trades: readonly MeasuredTrade[],
  settings: StudySettings,
): ServiceMetrics {
  const quotes = quotesOf(trades, service);
  const subject = { quotes, trades, service, settings };
  const answers = trades.flatMap(({ answers: all }) => all[service] ?? []);
  const latencies = byLadder(trades, ({ answers: all }) => {
    const answer = all[service];
    return answer !== undefined && 'latencyMs' in answer ? answer.latencyMs : undefined;
  });
  return given({
    name,
    quoted: shareOf(quotes.length, answers.length),
    latencyMs: spreadOf(latencies.flat()),
    medianLatencyMs: bootstrapMedian(latencies, settings.seed),
    received: settings.blocks.map((blocks) => received(subject, blocks)),
    survival: settings.blocks.flatMap((blocks) => survival(subject, blocks)),
    net: net(subject),
    gas: gas(subject),
    surplus: surplus(subject),
    impact: impactMetrics(subject),
    reverts: revertMetrics(subject),
    ...rejectionsOf(answers),
    best: bestMetrics(subject),
    cells: cellsOf(subject),
  });
}

function received(
  { quotes, settings }: Subject,
  blocks: number,
): ServiceMetrics['received'][number] {
  const known = quotes.filter((quote) => isKnown(quote, blocks));
  const values = measure(quotes, (quote) => {
    const settled = settledAt(quote, blocks);
    return settled && receivedBps(quote, settled);
  });
  return given({
    blocks,
    settled: shareOf(known.filter((quote) => settledAt(quote, blocks)).length, known.length),
    meanBps: bootstrapMean(values, settings.seed),
    medianBps: bootstrapMedian(values, settings.seed),
    spreadBps: spreadOf(values.flat()),
    unknown: quotes.filter((quote) => outcomeAt(quote, blocks)?.kind === 'unknown').length,
  });
}

function isKnown(quote: Quote, blocks: number): boolean {
  const kind = outcomeAt(quote, blocks)?.kind;
  return kind === 'settled' || kind === 'reverted';
}

/** Omits tolerances above that of the calldata, because it reverts at its own limit. */
function survival(
  { quotes, settings }: Subject,
  blocks: number,
): readonly ServiceMetrics['survival'][number][] {
  const known = quotes.filter((quote) => isKnown(quote, blocks));
  const measurable = SURVIVAL_BPS.filter((bps) => bps <= settings.toleranceBps);
  return measurable.flatMap((toleranceBps) => {
    const alive = known.filter((quote) => {
      const settled = settledAt(quote, blocks);
      return settled !== undefined && isWithin(quote, settled, toleranceBps);
    });
    const share = shareOf(alive.length, known.length);
    return share === undefined ? [] : [{ blocks, toleranceBps, share }];
  });
}

function net({ quotes, settings: { seed } }: Subject): ServiceMetrics['net'] {
  const cost = (quote: Quote) => {
    const settled = settledAt(quote, 0);
    const [gas, bps] = [gasUsd(quote), settled && receivedBps(quote, settled)];
    if (gas === undefined || bps === undefined) return undefined;
    const worth = valueUsd(quote.trade);
    const netUsd = (worth * bps) / 10_000 - gas;
    return { gas, netUsd, netBps: (netUsd / worth) * 10_000 };
  };
  const of = (metric: 'gas' | 'netUsd' | 'netBps') =>
    bootstrapMedian(
      measure(quotes, (quote) => cost(quote)?.[metric]),
      seed,
    );
  const [gas, netUsd, netBps] = [of('gas'), of('netUsd'), of('netBps')];
  return gas && netUsd && netBps && { gasUsd: gas, netUsd, netBps };
}

/**
 * Gas limits above this multiple of the gas used are too high for clients, who must reserve that
 * gas.
 */
const MAX_GAS_LIMIT_RATIO = 2;

function gas({ quotes }: Subject): ServiceMetrics['gas'] {
  const mined = quotes.flatMap(({ answer }) =>
    answer.mined?.kind === 'mined' ? [{ ...answer.mined, limit: Number(answer.gasLimit) }] : [],
  );
  const ratios = mined.flatMap(({ success, gasUsed, limit }) =>
    success ? [limit / Number(gasUsed)] : [],
  );
  const limitOverUsed = spreadOf(ratios);
  const tooLow = shareOf(mined.length - ratios.length, mined.length);
  const tooHigh = shareOf(
    ratios.filter((ratio) => ratio > MAX_GAS_LIMIT_RATIO).length,
    mined.length,
  );
  return limitOverUsed && tooLow && tooHigh && { limitOverUsed, tooLow, tooHigh };
}

function surplus({ quotes }: Subject): ServiceMetrics['surplus'] {
  const values = quotes.flatMap((quote) => {
    const settled = settledAt(quote, 0);
    if (quote.trade.swapKind === 'exact-input' || settled === undefined) return [];
    return aheadBps([BigInt(settled.received), 1n], [BigInt(quote.trade.amount), 1n]) ?? [];
  });
  const bps = spreadOf(values);
  const below = shareOf(values.filter((value) => value < 0).length, values.length);
  return bps && below && { bps, below };
}

function rejectionsOf(
  answers: readonly MeasuredTrade['answers'][number][],
): Pick<ServiceMetrics, 'rejections' | 'failures'> {
  const rejections = new Map<string, ServiceMetrics['rejections'][number]>();
  const failures = new Map<string, number>();
  for (const answer of answers) {
    if (answer.kind === 'failed') failures.set(answer.why, (failures.get(answer.why) ?? 0) + 1);
    if (answer.kind !== 'rejected') continue;
    const { status, error, message } = answer;
    const key = `${status} ${error}`;
    const count = (rejections.get(key)?.count ?? 0) + 1;
    rejections.set(key, { status, error, message: rejections.get(key)?.message ?? message, count });
  }
  return {
    rejections: [...rejections.values()].sort((a, b) => b.count - a.count),
    failures: [...failures].map(([why, count]) => ({ why, count })),
  };
}

function cellsOf({ trades, service, settings }: Subject): ServiceMetrics['cells'] {
  const ranked = trades.toSorted((a, b) => a.rank - b.rank);
  return [...new Set(ranked.map(pairName))].flatMap((pair) =>
    settings.sizes.flatMap((usd) => {
      const requested = ranked.filter((trade) => pairName(trade) === pair && trade.usd === usd);
      return requested.length === 0 ? [] : [cellOf(pair, usd, requested, service)];
    }),
  );
}

function cellOf(
  pair: string,
  usd: number,
  requested: readonly MeasuredTrade[],
  service: number,
): ServiceMetrics['cells'][number] {
  const outcomes = requested.flatMap((trade) => {
    const answer = trade.answers[service];
    if (answer?.kind !== 'quoted') return [{ isSettled: false, bps: undefined }];
    const quote = { trade, answer };
    if (outcomeAt(quote, 0)?.kind === 'unknown') return [];
    const settled = settledAt(quote, 0);
    return [{ isSettled: settled !== undefined, bps: settled && receivedBps(quote, settled) }];
  });
  const bps = outcomes.flatMap((each) => each.bps ?? []);
  return {
    pair,
    usd,
    requested: requested.length,
    ...(outcomes.length > 0 && {
      settled: outcomes.filter(({ isSettled }) => isSettled).length / outcomes.length,
    }),
    ...(bps.length > 0 && { meanBps: meanOf(bps) }),
  };
}

function bestMetrics({ quotes, settings }: Subject): ServiceMetrics['best'] {
  const clusters = measure(quotes, ({ answer: { best, bought, sold } }) =>
    best?.kind === 'best'
      ? aheadBps([BigInt(best.bought), BigInt(sold)], [BigInt(bought), BigInt(best.sold)])
      : undefined,
  );
  const meanBps = bootstrapMean(clusters, settings.seed);
  const spreadBps = spreadOf(clusters.flat());
  const unknown = quotes.filter(({ answer }) => answer.best?.kind === 'unknown').length;
  return meanBps && spreadBps && { meanBps, spreadBps, unknown };
}

/**
 * Price impact is the deterioration of the price compared with the smallest quote in the ladder.
 */
function impactMetrics({ quotes, settings }: Subject): ServiceMetrics['impact'] {
  const smallest = new Map<number, Quote>();
  for (const quote of quotes) {
    const { ladder, usd } = quote.trade;
    const smallestSoFar = smallest.get(ladder);
    if (smallestSoFar === undefined || usd < smallestSoFar.trade.usd) smallest.set(ladder, quote);
  }
  const impact = (quote: Quote): number | undefined => {
    const base = smallest.get(quote.trade.ladder);
    if (base === undefined || base === quote) return undefined;
    return aheadBps(
      [BigInt(base.answer.bought), BigInt(quote.answer.sold)],
      [BigInt(quote.answer.bought), BigInt(base.answer.sold)],
    );
  };
  return settings.sizes.flatMap((usd) => {
    const clusters = measure(
      quotes.filter(({ trade }) => trade.usd === usd),
      impact,
    );
    const medianBps = bootstrapMedian(clusters, settings.seed);
    const spreadBps = spreadOf(clusters.flat());
    return medianBps && spreadBps ? [{ usd, medianBps, spreadBps }] : [];
  });
}

type Revert = ServiceMetrics['reverts'][number];
type Tried = { readonly quote: Quote; readonly reason: string | undefined };

const NAMES_BY: Readonly<Record<Revert['by'], (tried: Tried) => readonly string[]>> = {
  source: ({ quote }) => quote.answer.sources,
  pair: ({ quote }) => [pairName(quote.trade)],
  size: ({ quote }) => [`$${quote.trade.usd}`],
  reason: ({ reason }) => (reason === undefined ? [] : [withoutNumbers(reason)]),
};

function revertMetrics({ quotes }: Subject): Revert[] {
  const tried = quotes.flatMap((quote): readonly Tried[] => {
    const outcome = outcomeAt(quote, 0);
    if (outcome === undefined || outcome.kind === 'unknown') return [];
    return [{ quote, reason: outcome.kind === 'reverted' ? outcome.reason : undefined }];
  });
  return Object.entries(NAMES_BY).flatMap(([by, namesOf]) =>
    countBy(by as Revert['by'], namesOf, tried),
  );
}

function countBy(
  by: Revert['by'],
  namesOf: (tried: Tried) => readonly string[],
  tried: readonly Tried[],
): Revert[] {
  const names = new Set(tried.flatMap(namesOf));
  return [...names]
    .flatMap((name): readonly Revert[] => {
      const named = tried.filter((each) => namesOf(each).includes(name));
      const reverted = named.filter(({ reason }) => reason !== undefined).length;
      const share = shareOf(reverted, by === 'reason' ? tried.length : named.length);
      return reverted === 0 || share === undefined ? [] : [{ by, name, reverted, share }];
    })
    .sort((a, b) => b.reverted - a.reverted);
}

/** Replaces amounts, so that reasons that differ only in amounts are equal. */
function withoutNumbers(reason: string): string {
  return reason
    .replace(/\b\d{3,}\b/g, 'N')
    .replace(/0x[0-9a-f]{8,}(\.\.\.)?/gi, (hex) => hex.slice(0, 10));
}
