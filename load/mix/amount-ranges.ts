import type { TradedPair } from '../../conformance/discovery/facts.ts';

/** Amounts between which a pair is known to be answered with a plan, in base units. */
export type AmountRange = {
  readonly sell: readonly [least: bigint, largest: bigint];
  readonly buy: readonly [least: bigint, largest: bigint];
};

/** Fetches a plan; returns what it buys, or undefined where there is none. */
export type FetchBuyAmount = (sellAmount: bigint) => Promise<bigint | undefined>;

/**
 * Returns the range in which a pair trades, found by steps of ten up and down
 * from the amount that discovery saw: at most four decades up and four down,
 * and above the point where so little goes in that nothing of worth comes out.
 */
export async function findAmountRange(
  { sellAmount, buyAmount }: TradedPair,
  fetchBuyAmount: FetchBuyAmount,
): Promise<AmountRange> {
  let least = { sell: sellAmount, buy: buyAmount };
  let largest = least;
  for (let decade = 0; decade < MOST_DECADES; decade++) {
    const sell = largest.sell * 10n;
    const buy = await fetchBuyAmount(sell);
    // Ten times the price: the liquidity is as good as used up.
    if (buy === undefined || buy * 10n < largest.buy * 11n) break;
    largest = { sell, buy };
  }
  for (let decade = 0; decade < MOST_DECADES; decade++) {
    const sell = least.sell / 10n;
    if (sell < 10n) break;
    const buy = await fetchBuyAmount(sell);
    if (buy === undefined || buy < 10n) break;
    least = { sell, buy };
  }
  return { sell: [least.sell, largest.sell], buy: [least.buy, largest.buy] };
}

const MOST_DECADES = 4;
