import type { PlanToken } from '../checks/plan.ts';

/** Wrong decimals are the likely cause only if values differ by at least this power of ten. */
const MIN_POWER = 3;
/**
 * A ratio counts as a power of ten if its decimal logarithm differs from an integer by at most this
 * value.
 */
const MAX_DISTANCE = 0.15;

/** One side of a trade: the token, and the value in USD. */
export type ValuedSide = {
  readonly token: PlanToken;
  readonly decimals: number;
  readonly usd: number;
};

/** A token whose decimals may be wrong, and the decimals with which the values would agree. */
export type Suspect = ValuedSide & { readonly likely: number };

const COMMON_DECIMALS: readonly number[] = [6, 8, 18];

/**
 * Returns the tokens whose decimals may explain why the two sides of a trade differ in value.
 * Decimals explain only powers of ten, from 1,000 on. If either token may be wrong, returns the
 * token whose value is farther from `between`, the value of the intermediate tokens. If both are
 * equally far, returns the token that would have common decimals.
 *
 * @example
 * // 1,000,000 base units of USDC, listed with 18 decimals, buy WETH worth 1 USD.
 * suspectDecimals({ token: usdc, decimals: 18, usd: 1e-12 }, { token: weth, decimals: 18, usd: 1 })
 * // [{ token: usdc, decimals: 18, usd: 1e-12, likely: 6 }]
 */
export function suspectDecimals(
  sold: ValuedSide,
  bought: ValuedSide,
  between?: number,
): readonly Suspect[] {
  const exact = Math.log10(bought.usd / sold.usd);
  const power = Math.round(exact);
  if (!(Math.abs(power) >= MIN_POWER && Math.abs(exact - power) <= MAX_DISTANCE)) return [];
  const possible = [
    { ...sold, likely: sold.decimals - power },
    { ...bought, likely: bought.decimals + power },
  ].filter(({ likely }) => likely >= 0 && likely <= 18);
  const distance = ({ usd }: ValuedSide) => Math.abs(Math.log10(usd / (between ?? usd)));
  const farthest = Math.max(...possible.map(distance));
  const odd = possible.filter((each) => distance(each) === farthest);
  const usual = odd.filter(({ likely }) => COMMON_DECIMALS.includes(likely));
  return usual.length > 0 ? usual : odd;
}
