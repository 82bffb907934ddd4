import type { SettledPlan } from '../model/settlement.ts';
import { medianOf } from '../model/statistics.ts';

/**
 * Returns the distance of an amount from the quote, in basis points with two decimals. Returns 0 if
 * the quote is 0.
 */
export function bpsBetween(amount: bigint, quoted: bigint): number {
  return quoted === 0n ? 0 : Number(((amount - quoted) * 1_000_000n) / quoted) / 100;
}

/** Returns the user's gain compared with the quote, in basis points with two decimals. */
function gainBps(
  { request, plan }: Pick<SettledPlan, 'request' | 'plan'>,
  { received, spent }: { readonly received: bigint; readonly spent: bigint },
): number {
  return request.swapKind === 'exact-input'
    ? bpsBetween(received, plan.buy.amount)
    : -bpsBetween(spent, plan.sell.amount);
}

/**
 * After the market has moved, a router that splits a token by shares yields slightly less or more
 * than one that splits by amounts.
 */
const TOLERANCE_DIVISOR = 10_000n;

/**
 * Returns whether a trade received at least an alternative yield at the same block, less 0.01% and
 * 2 base units.
 */
export function isAboutAsMuch(received: bigint, alternative: bigint): boolean {
  return received >= alternative - alternative / TOLERANCE_DIVISOR - 2n;
}

/** The farther a yield is from the quote, the more do ways to split a token differ. */
const GAIN_TOLERANCE_DIVISOR = 10n;

/**
 * Returns whether a trade received almost all of an alternative yield far above the quote. At most
 * a tenth of the gain may be missing.
 */
export function isMostOfGain(received: bigint, alternative: bigint, quoted: bigint): boolean {
  const gain = alternative > quoted ? alternative - quoted : 0n;
  return isAboutAsMuch(received + gain / GAIN_TOLERANCE_DIVISOR, alternative);
}

/**
 * Maximum move of a yield, as the quote divided by this number. Beyond it, different ways to split
 * a token cannot be compared.
 */
const MAX_MOVE_DIVISOR = 100n;

/**
 * Returns whether the current yield of pools is close enough to the quote to compare different ways
 * to split a token.
 */
export function isNearQuote(presentYield: bigint, quoted: bigint): boolean {
  const moved = presentYield > quoted ? presentYield - quoted : quoted - presentYield;
  return moved * MAX_MOVE_DIVISOR <= quoted;
}

/** @example formatSigned(3) // '+3' */
export function formatSigned(value: number): string {
  return value > 0 ? `+${value}` : `${value}`;
}

/**
 * Describes how far results of trades are from their quotes. Compares the amounts received in
 * exact-input trades, and the amounts paid in exact-output trades.
 */
export function describeDistances(items: readonly SettledPlan[]): string {
  const distances = items
    .flatMap((item) => (item.effects.kind === 'settled' ? gainBps(item, item.effects) : []))
    .sort((a, b) => a - b);
  const [min, max] = [distances[0], distances.at(-1)];
  if (min === undefined || max === undefined) return 'no trade settled';
  const range = min === max ? '' : `, from ${formatSigned(min)} to ${formatSigned(max)}`;
  const median = Number(medianOf(distances).toFixed(2));
  return `a median of ${formatSigned(median)} bps from the quote${range}; above 0 is better`;
}
