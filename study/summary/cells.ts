import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { ServiceMetrics } from '../model/metrics.ts';
import { meanOf } from '../statistics/estimate.ts';
import type { Subject } from './subject.ts';
import { outcomeAt, pairName, receivedBps, settledAt } from './worth.ts';

/** Returns the outcomes of each pair at each size, at the block of the quote; pairs by rank. */
export function cellsOf({ trades, service, settings }: Subject): ServiceMetrics['cells'] {
  const ranked = trades.toSorted((a, b) => a.rank - b.rank);
  return [...new Set(ranked.map(pairName))].flatMap((pair) =>
    settings.sizes.flatMap((usd) => {
      const asked = ranked.filter((trade) => pairName(trade) === pair && trade.usd === usd);
      return asked.length === 0 ? [] : [cellOf(pair, usd, asked, service)];
    }),
  );
}

function cellOf(
  pair: string,
  usd: number,
  asked: readonly MeasuredTrade[],
  service: number,
): ServiceMetrics['cells'][number] {
  const came = asked.flatMap((trade) => {
    const answer = trade.answers[service];
    if (answer?.kind !== 'quoted') return [{ isSettled: false, bps: undefined }];
    const quote = { trade, answer };
    if (outcomeAt(quote, 0)?.kind === 'unknown') return [];
    const settled = settledAt(quote, 0);
    return [{ isSettled: settled !== undefined, bps: settled && receivedBps(quote, settled) }];
  });
  const bps = came.flatMap((each) => each.bps ?? []);
  return {
    pair,
    usd,
    asked: asked.length,
    ...(came.length > 0 && {
      settled: came.filter(({ isSettled }) => isSettled).length / came.length,
    }),
    ...(bps.length > 0 && { meanBps: meanOf(bps) }),
  };
}
