import type { Address } from '../domain/address.ts';
import { ONE_IN_PIPS } from './full-math.ts';
import {
  type ConstantProductPool,
  isZeroForOne,
  type PoolFamily,
  type SwapOutcome,
} from './pool.ts';

/** The pair keeps its reserves as `uint112`, and reverts with `OVERFLOW` beyond. */
const MAX_RESERVE = (1n << 112n) - 1n;

/**
 * Uniswap V2 pairs, with any fee. Amounts are those of `UniswapV2Library`, on
 * which routers settle.
 *
 * An exact input may yield 0, which the pair itself refuses to pay out. An exact
 * output costs one base unit more than the least that the pair would take when
 * the division leaves no remainder: the library adds 1 either way.
 *
 * @see https://github.com/Uniswap/v2-periphery/blob/master/contracts/libraries/UniswapV2Library.sol
 */
export const constantProduct: PoolFamily<ConstantProductPool> = {
  swapExactInput(pool, tokenIn, amountIn) {
    const pair = orient(pool, tokenIn);
    if (pair.reserveIn === 0n || pair.reserveOut === 0n) return NOTHING;
    if (pair.reserveIn + amountIn > MAX_RESERVE) return most(pair);
    return { kind: 'filled', amountIn, amountOut: getAmountOut(pair, amountIn) };
  },

  swapExactOutput(pool, tokenIn, amountOut) {
    const pair = orient(pool, tokenIn);
    if (pair.reserveIn === 0n || pair.reserveOut === 0n) return NOTHING;
    if (amountOut >= pair.reserveOut) return most(pair);
    const amountIn = getAmountIn(pair, amountOut);
    if (pair.reserveIn + amountIn > MAX_RESERVE) return most(pair);
    return { kind: 'filled', amountIn, amountOut };
  },

  marginalPrice(pool, tokenIn) {
    const { reserveIn, reserveOut, keptPips } = orient(pool, tokenIn);
    if (reserveIn === 0n || reserveOut === 0n) return 0;
    return ((Number(reserveOut) / Number(reserveIn)) * Number(keptPips)) / Number(ONE_IN_PIPS);
  },

  afterExactInput(pool, tokenIn, amountIn) {
    const swap = constantProduct.swapExactInput(pool, tokenIn, amountIn);
    return isZeroForOne(pool, tokenIn)
      ? {
          ...pool,
          reserve0: pool.reserve0 + swap.amountIn,
          reserve1: pool.reserve1 - swap.amountOut,
        }
      : {
          ...pool,
          reserve0: pool.reserve0 - swap.amountOut,
          reserve1: pool.reserve1 + swap.amountIn,
        };
  },
};

/** A pair as seen from the token that is sold. */
type OrientedPair = {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** What the fee leaves of the input, in millionths. */
  readonly keptPips: bigint;
};

const NOTHING: SwapOutcome = { kind: 'exhausted', amountIn: 0n, amountOut: 0n };

function orient(pool: ConstantProductPool, tokenIn: Address): OrientedPair {
  const keptPips = ONE_IN_PIPS - BigInt(pool.feePips);
  return isZeroForOne(pool, tokenIn)
    ? { reserveIn: pool.reserve0, reserveOut: pool.reserve1, keptPips }
    : { reserveIn: pool.reserve1, reserveOut: pool.reserve0, keptPips };
}

/** The largest swap that leaves the reserves within `uint112`. */
function most(pair: OrientedPair): SwapOutcome {
  const amountIn = MAX_RESERVE - pair.reserveIn;
  return { kind: 'exhausted', amountIn, amountOut: getAmountOut(pair, amountIn) };
}

function getAmountOut({ reserveIn, reserveOut, keptPips }: OrientedPair, amountIn: bigint): bigint {
  const amountInWithFee = amountIn * keptPips;
  return (amountInWithFee * reserveOut) / (reserveIn * ONE_IN_PIPS + amountInWithFee);
}

function getAmountIn({ reserveIn, reserveOut, keptPips }: OrientedPair, amountOut: bigint): bigint {
  return (reserveIn * amountOut * ONE_IN_PIPS) / ((reserveOut - amountOut) * keptPips) + 1n;
}
