import type { ServiceMetrics } from '../model/metrics.ts';
import { bootstrapMean, bootstrapMedian, spreadOf } from '../statistics/estimate.ts';
import { measure, type Subject } from './subject.ts';
import { aheadBps, type Quote } from './worth.ts';

/** Returns how far the quotes of a service are below the best that was found over the same pools. */
export function bestMetrics({ quotes, settings }: Subject): ServiceMetrics['best'] {
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

/** Returns how much worse the quoted price is at each size than at the smallest that was quoted in the same ladder. */
export function impactMetrics({ quotes, settings }: Subject): ServiceMetrics['impact'] {
  const smallest = new Map<number, Quote>();
  for (const quote of quotes) {
    const { ladder, usd } = quote.trade;
    const least = smallest.get(ladder);
    if (least === undefined || usd < least.trade.usd) smallest.set(ladder, quote);
  }
  const impact = (quote: Quote): number | undefined => {
    const least = smallest.get(quote.trade.ladder);
    if (least === undefined || least === quote) return undefined;
    return aheadBps(
      [BigInt(least.answer.bought), BigInt(quote.answer.sold)],
      [BigInt(quote.answer.bought), BigInt(least.answer.sold)],
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
