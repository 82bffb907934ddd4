import type { SettledPlan } from '../model/settlement.ts';

/** Returns how far an amount is from what was quoted, in basis points of the quote, with two places; 0 where nothing was quoted. */
export function bpBetween(amount: bigint, quoted: bigint): number {
  return quoted === 0n ? 0 : Number(((amount - quoted) * 1_000_000n) / quoted) / 100;
}

/** Returns how much better than its quote a trade is for who makes it, in basis points, with two places. */
export function gainBp(
  { request, plan }: Pick<SettledPlan, 'request' | 'plan'>,
  { received, spent }: { readonly received: bigint; readonly spent: bigint },
): number {
  return request.swapKind === 'exact-input'
    ? bpBetween(received, plan.buy.amount)
    : -bpBetween(spent, plan.sell.amount);
}

/** Routers that part a token between by shares, or by amounts, differ a little where a market has moved. */
const ABOUT = 10_000n;

/** Returns whether a trade received no less than another way to make it yields on the same block, within 0.01 % and 2 base units. */
export function isAboutAsMuch(received: bigint, beside: bigint): boolean {
  return received >= beside - beside / ABOUT - 2n;
}

/** On a market that has moved further since the quote, ways to part a token between differ by more than they may. */
const FAR = 100n;

/** Returns whether what pools give now is about what was quoted, so that two ways to make a trade can be compared. */
export function isNearQuote(beside: bigint, quoted: bigint): boolean {
  const moved = beside > quoted ? beside - quoted : quoted - beside;
  return moved * FAR <= quoted;
}

/**
 * Returns a number with its sign, 0 without.
 *
 * @example
 * signed(3) // '+3'
 */
export function signed(value: number): string {
  return value > 0 ? `+${value}` : `${value}`;
}

/** Returns the number in the middle of sorted ones; 0 of none. */
export function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * Returns in words how far trades ended from their quotes: what exact input
 * received, and what exact output paid.
 */
export function describeDistances(items: readonly SettledPlan[]): string {
  const distances = items
    .flatMap((item) => (item.effects.kind === 'settled' ? gainBp(item, item.effects) : []))
    .sort((a, b) => a - b);
  const [least, most] = [distances[0], distances.at(-1)];
  if (least === undefined || most === undefined) return 'no trade settled';
  const range = least === most ? '' : `, from ${signed(least)} to ${signed(most)}`;
  return `${signed(middle(distances))} bp from the quote in the median${range}; above 0 is better`;
}
