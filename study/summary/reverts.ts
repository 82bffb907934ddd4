import type { ServiceMetrics } from '../model/metrics.ts';
import { shareOf } from '../statistics/estimate.ts';
import type { Subject } from './subject.ts';
import { outcomeAt, pairName, type Quote } from './worth.ts';

type Revert = ServiceMetrics['reverts'][number];
/** A settlement at the block of the quote, with the reason if it reverted. */
type Tried = { readonly quote: Quote; readonly reason: string | undefined };

const WAYS: Readonly<Record<Revert['by'], (tried: Tried) => readonly string[]>> = {
  source: ({ quote }) => quote.answer.sources,
  pair: ({ quote }) => [pairName(quote.trade)],
  size: ({ quote }) => [`$${quote.trade.usd}`],
  reason: ({ reason }) => (reason === undefined ? [] : [withoutNumbers(reason)]),
};

/** Returns the sources, pairs, sizes and reasons of reverts at the block of the quote, most frequent first. */
export function revertMetrics({ quotes }: Subject): Revert[] {
  const tried = quotes.flatMap((quote): readonly Tried[] => {
    const outcome = outcomeAt(quote, 0);
    if (outcome === undefined || outcome.kind === 'unknown') return [];
    return [{ quote, reason: outcome.kind === 'reverted' ? outcome.reason : undefined }];
  });
  return Object.entries(WAYS).flatMap(([by, namesOf]) =>
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

/** Reasons that differ only in their amounts count as one. */
function withoutNumbers(reason: string): string {
  return reason
    .replace(/\b\d{3,}\b/g, 'N')
    .replace(/0x[0-9a-f]{8,}(\.\.\.)?/gi, (hex) => hex.slice(0, 10));
}
