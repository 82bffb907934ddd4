import type { ServiceFigures } from '../model/figures.ts';
import { bootstrapMean, spreadOf } from '../statistics/estimate.ts';
import { measure, type Subject } from './subject.ts';
import { aheadBps, type Quote } from './worth.ts';

/** Returns how far the quotes of a service are below the best that was found over the same pools. */
export function bestFigures({ quotes, settings }: Subject): ServiceFigures['best'] {
  const clusters = measure(quotes, belowBestBps);
  const meanBps = bootstrapMean(clusters, settings.seed);
  const spreadBps = spreadOf(clusters.flat());
  const unknown = quotes.filter(({ answer }) => answer.best?.kind === 'unknown').length;
  return meanBps && spreadBps && { meanBps, spreadBps, unknown };
}

/** Returns how much better the best price is than the quoted one. */
export function belowBestBps({ answer }: Quote): number | undefined {
  const { best, bought, sold } = answer;
  if (best?.kind !== 'best') return undefined;
  return aheadBps([BigInt(best.bought), BigInt(sold)], [BigInt(bought), BigInt(best.sold)]);
}
