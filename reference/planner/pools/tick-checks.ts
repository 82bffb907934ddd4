import { MarketFileError } from '../domain/market-file-error.ts';
import type { ConcentratedPool } from './concentrated.ts';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.ts';

/** @throws {MarketFileError} unless the tick is the price's own, or one below when a falling price has just crossed it. */
export function requirePrice({ sqrtPriceX96, tick }: ConcentratedPool, at: string): void {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO) {
    const range = `must be at least ${MIN_SQRT_RATIO} and below ${MAX_SQRT_RATIO}`;
    throw new MarketFileError(`${at}/sqrtPriceX96`, sqrtPriceX96, range);
  }
  const own = tickAtSqrtRatio(sqrtPriceX96);
  if (tick === own || (tick === own - 1 && sqrtRatioAtTick(own) === sqrtPriceX96)) return;
  throw new MarketFileError(`${at}/tick`, tick, `must be ${own}, the tick of sqrtPriceX96`);
}

/** @throws {MarketFileError} unless ticks ascend on the grid, and their sum up to the price is the liquidity there. */
export function requireTicks(
  { ticks, tick, tickSpacing, liquidity }: ConcentratedPool,
  at: string,
): void {
  const refuse = (place: string, value: unknown, must: string) => {
    throw new MarketFileError(`${at}/${place}`, value, must);
  };
  let before: number | undefined;
  let sum = 0n;
  let here = 0n;
  for (const [j, { index, liquidityNet }] of ticks.entries()) {
    const place = `ticks/${j}`;
    if (index % tickSpacing !== 0) {
      refuse(`${place}/index`, index, `must be a multiple of ${tickSpacing}`);
    }
    if (before !== undefined && index <= before) {
      refuse(`${place}/index`, index, `must be above ${before}`);
    }
    before = index;
    sum += liquidityNet;
    if (sum < 0n) refuse(`${place}/liquidityNet`, liquidityNet, 'must leave no liquidity below 0');
    if (index <= tick) here = sum;
  }
  if (sum !== 0n) refuse('ticks', sum, 'must sum to a liquidityNet of 0');
  if (here !== liquidity) {
    refuse('liquidity', liquidity, `must be ${here}, the liquidityNet up to the tick`);
  }
}
