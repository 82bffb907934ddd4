import { groupBy } from '../../conformance/model/group-by.ts';
import { medianOf } from '../../conformance/model/statistics.ts';
import type { MeasuredTrade, Outcome, Quoted } from '../model/measured-trade.ts';
import type { StudySettings } from '../model/settings.ts';

/** A trade, and the quote of one service for it. */
export type Quote = { readonly trade: MeasuredTrade; readonly answer: Quoted };
export type Settled = Extract<Outcome, { readonly kind: 'settled' }>;

/** Returns the quotes of a service. `service` is its index. */
export function quotesOf(trades: readonly MeasuredTrade[], service: number): readonly Quote[] {
  return trades.flatMap((trade) => {
    const answer = trade.answers[service];
    return answer?.kind === 'quoted' ? [{ trade, answer }] : [];
  });
}

export function outcomeAt({ answer }: Quote, blocks: number): Outcome | undefined {
  return answer.outcomes.find((outcome) => outcome.blocks === blocks);
}

export function settledAt(quote: Quote, blocks: number): Settled | undefined {
  const outcome = outcomeAt(quote, blocks);
  return outcome?.kind === 'settled' ? outcome : undefined;
}

/** Returns the ratio of two products of base units less 1, in basis points. */
export function aheadBps(
  [a, b]: readonly [bigint, bigint],
  [c, d]: readonly [bigint, bigint],
): number | undefined {
  const [one, other] = [a * b, c * d];
  // Uses integers until only a small difference is left.
  return other === 0n ? undefined : Number(((one - other) * PRECISION) / other) / UNITS_PER_BP;
}

const PRECISION = 10n ** 14n;
const UNITS_PER_BP = 1e10;

/** Returns by how many basis points the settled price is better than the quoted price. */
export function receivedBps({ answer }: Quote, { spent, received }: Settled): number | undefined {
  return aheadBps([BigInt(received), BigInt(answer.sold)], [BigInt(answer.bought), BigInt(spent)]);
}

/** Returns whether the outcome is within a slippage tolerance of the quote. */
export function isWithin(
  { trade, answer }: Quote,
  { spent, received }: Settled,
  toleranceBps: number,
): boolean {
  return trade.swapKind === 'exact-input'
    ? BigInt(received) * 10_000n >= BigInt(answer.bought) * BigInt(10_000 - toleranceBps)
    : BigInt(spent) * 10_000n <= BigInt(answer.sold) * BigInt(10_000 + toleranceBps);
}

type Prices = Readonly<Record<'sell' | 'buy' | 'native', number | undefined>>;

/** Returns the median of the prices that all services returned for a trade. */
export function pricesOf({ answers }: MeasuredTrade): Prices {
  const medianPrice = (side: keyof Prices) => {
    const prices = answers.flatMap((answer) =>
      answer.kind === 'quoted' ? (answer.usdPrice[side] ?? []) : [],
    );
    return prices.length === 0 ? undefined : medianOf(prices);
  };
  return { sell: medianPrice('sell'), buy: medianPrice('buy'), native: medianPrice('native') };
}

/**
 * Returns the value of the given side of a trade in US dollars, or the intended value if there is
 * no price.
 */
export function valueUsd(trade: MeasuredTrade): number {
  const isInput = trade.swapKind === 'exact-input';
  const price = pricesOf(trade)[isInput ? 'sell' : 'buy'];
  const { decimals } = isInput ? trade.sell : trade.buy;
  return price === undefined ? trade.usd : (Number(trade.amount) / 10 ** decimals) * price;
}

/**
 * Returns the gas cost of a trade in US dollars; undefined if the trade was not mined or has no
 * price.
 */
export function gasUsd({ trade, answer }: Quote): number | undefined {
  const { native } = pricesOf(trade);
  if (answer.mined?.kind !== 'mined' || native === undefined) return undefined;
  const { gasUsed, gasPriceWei } = answer.mined;
  return (Number(BigInt(gasUsed) * BigInt(gasPriceWei)) / 1e18) * native;
}

export function pairName({ sell, buy }: Pick<MeasuredTrade, 'sell' | 'buy'>): string {
  return `${sell.symbol} → ${buy.symbol}`;
}

/** The measured trades of one service. */
export type Subject = {
  readonly quotes: readonly Quote[];
  readonly trades: readonly MeasuredTrade[];
  /** Index among the services. */
  readonly service: number;
  readonly settings: StudySettings;
};

/**
 * Returns a metric of each quote that has it, grouped by ladder. The trades of a ladder share their
 * block.
 */
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
  const clusters = [...groupBy(items, ({ ladder }) => ladder).values()].map((cluster) =>
    cluster.flatMap((item) => metric(item) ?? []),
  );
  return clusters.filter(({ length }) => length > 0);
}
