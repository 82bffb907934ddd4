import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { StudySettings } from '../model/settings.ts';
import type { Quote } from './quote.ts';

/** Measurements of one service. */
export type Subject = {
  readonly quotes: readonly Quote[];
  readonly trades: readonly MeasuredTrade[];
  /** Its position among the services. */
  readonly service: number;
  readonly settings: StudySettings;
};

/** Returns a metric of each quote that has it, grouped by ladder, whose trades share the block. */
export function measure(
  quotes: readonly Quote[],
  metric: (quote: Quote) => number | undefined,
): readonly (readonly number[])[] {
  return byLadder(
    quotes.map((quote) => ({ ladder: quote.trade.ladder, quote })),
    ({ quote }) => metric(quote),
  );
}

/** Returns a metric of each item that has it, grouped by ladder. */
export function byLadder<Item extends { readonly ladder: number }>(
  items: readonly Item[],
  metric: (item: Item) => number | undefined,
): readonly (readonly number[])[] {
  const clusters = new Map<number, number[]>();
  for (const item of items) {
    const value = metric(item);
    if (value === undefined) continue;
    const cluster = clusters.get(item.ladder);
    if (cluster === undefined) clusters.set(item.ladder, [value]);
    else cluster.push(value);
  }
  return [...clusters.values()];
}
