import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { type ConcentratedPool, isZeroForOne, type PoolFamily, type SwapOutcome } from './pool.ts';
import { costOfOutput, stepWithInput } from './swap-step.ts';
import { TickLadder } from './tick-ladder.ts';
import { tickAtSqrtRatio } from './tick-math.ts';

/**
 * Uniswap V3 pools. Amounts are those of `UniswapV3Pool.swap` with no price
 * limit but the end of the price range. Where liquidity ends, the real swap
 * takes less than it was offered; the outcome is `exhausted`.
 *
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/UniswapV3Pool.sol
 */
export const concentrated: PoolFamily<ConcentratedPool> = {
  swapExactInput(pool, tokenIn, amountIn) {
    const ladder = ladderOf(pool, tokenIn);
    const rung = ladder.rungOfInput(amountIn);
    if (rung === undefined) return most(ladder);
    if (rung.inputAfter === amountIn) {
      return { kind: 'filled', amountIn, amountOut: rung.outputAfter };
    }
    const step = stepWithInput(rung.start, amountIn - rung.inputBefore);
    return { kind: 'filled', amountIn, amountOut: rung.outputBefore + step.amountOut };
  },

  swapExactOutput(pool, tokenIn, amountOut) {
    const ladder = ladderOf(pool, tokenIn);
    const rung = ladder.rungOfOutput(amountOut);
    if (rung === undefined) return most(ladder);
    if (rung.outputAfter === amountOut) {
      return { kind: 'filled', amountIn: rung.inputAfter, amountOut };
    }
    const cost = costOfOutput(rung.start, amountOut - rung.outputBefore);
    return { kind: 'filled', amountIn: rung.inputBefore + cost, amountOut };
  },

  marginalPrice(pool, tokenIn) {
    const rung = ladderOf(pool, tokenIn).rungOfInput(1n);
    if (rung === undefined) return 0;
    const sqrtPrice = Number(rung.start.sqrtPriceX96) / 2 ** 96;
    const price = rung.start.zeroForOne ? sqrtPrice ** 2 : sqrtPrice ** -2;
    return price * (1 - pool.feePips / 1e6);
  },

  afterExactInput(pool, tokenIn, amountIn) {
    const ladder = ladderOf(pool, tokenIn);
    const rung = ladder.rungOfInput(amountIn) ?? ladder.lastRung();
    if (rung === undefined) return pool;
    if (amountIn >= rung.inputAfter) {
      return {
        ...pool,
        sqrtPriceX96: rung.sqrtEndX96,
        tick: rung.endTick,
        liquidity: rung.endLiquidity,
      };
    }
    const { sqrtPriceX96 } = stepWithInput(rung.start, amountIn - rung.inputBefore);
    const moved = sqrtPriceX96 !== rung.start.sqrtPriceX96;
    return {
      ...pool,
      sqrtPriceX96,
      tick: moved ? tickAtSqrtRatio(sqrtPriceX96) : rung.startTick,
      liquidity: rung.start.liquidity,
    };
  },
};

/** The ladders of each pool state, since a search asks for thousands of amounts of one state. */
const ladderDown = keptWith((pool: ConcentratedPool) => new TickLadder(pool, true));
const ladderUp = keptWith((pool: ConcentratedPool) => new TickLadder(pool, false));

function ladderOf(pool: ConcentratedPool, tokenIn: Address): TickLadder {
  return isZeroForOne(pool, tokenIn) ? ladderDown(pool) : ladderUp(pool);
}

function most(ladder: TickLadder): SwapOutcome {
  const last = ladder.lastRung();
  return {
    kind: 'exhausted',
    amountIn: last?.inputAfter ?? 0n,
    amountOut: last?.outputAfter ?? 0n,
  };
}
