import type { ConcentratedPool, ConstantProductPool, Pool } from '../pools/pool.ts';

/**
 * A stretch of one pool, in one direction, along which `x * y = k` holds. With
 * `u` from 0 to `span` it takes `depthIn * expm1(u)` and gives
 * `-depthOut * expm1(-u)`, at a marginal price of `exp(logPrice - 2 * u)`, fee
 * taken. Base units, as floats: for search only.
 *
 * @see https://arxiv.org/abs/2302.04938
 */
export type Segment = {
  readonly logPrice: number;
  readonly depthIn: number;
  readonly depthOut: number;
  readonly span: number;
};

/** Returns the segments that a sale of token0 (`zeroForOne`) or token1 walks through, best price first. */
export function segmentsOf(pool: Pool, zeroForOne: boolean): Segment[] {
  switch (pool.family) {
    case 'constant-product':
      return pairSegments(pool, zeroForOne);
    case 'concentrated':
      return rangeSegments(pool, zeroForOne);
  }
}

/** Returns what the segments take in all, in base units. */
export function capacityIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { depthIn, span }) => sum + depthIn * Math.expm1(span), 0);
}

/** Returns what the segments give in all, in base units. */
export function capacityOut(segments: readonly Segment[]): number {
  return segments.reduce((sum, { depthOut, span }) => sum - depthOut * Math.expm1(-span), 0);
}

/** A pair keeps its reserves as `uint112`. */
const MAX_RESERVE = 2 ** 112;

function pairSegments(pool: ConstantProductPool, zeroForOne: boolean): Segment[] {
  const reserve0 = Number(pool.reserve0);
  const reserve1 = Number(pool.reserve1);
  if (reserve0 === 0 || reserve1 === 0) return [];
  const reserveIn = zeroForOne ? reserve0 : reserve1;
  const depthIn = reserveIn / keptOf(pool);
  const depthOut = zeroForOne ? reserve1 : reserve0;
  const span = Math.log1p(Math.max(0, MAX_RESERVE - reserveIn) / depthIn);
  return [{ logPrice: Math.log(depthOut / depthIn), depthIn, depthOut, span }];
}

function rangeSegments(pool: ConcentratedPool, zeroForOne: boolean): Segment[] {
  const segments: Segment[] = [];
  const kept = keptOf(pool);
  const ahead = zeroForOne
    ? pool.ticks.filter((tick) => tick.index <= pool.tick).reverse()
    : pool.ticks.filter((tick) => tick.index > pool.tick);
  let liquidity = pool.liquidity;
  let logSqrtPrice = Math.log(Number(pool.sqrtPriceX96) / 2 ** 96);
  for (const tick of ahead) {
    const end = tick.index * LOG_SQRT_TICK;
    const span = Math.abs(end - logSqrtPrice);
    const isAhead = zeroForOne ? end < logSqrtPrice : end > logSqrtPrice;
    if (isAhead) {
      if (liquidity > 0n) {
        const towardsIn = zeroForOne ? -logSqrtPrice : logSqrtPrice;
        const depthIn = (Number(liquidity) * Math.exp(towardsIn)) / kept;
        const depthOut = Number(liquidity) * Math.exp(-towardsIn);
        segments.push({ logPrice: Math.log(kept) - 2 * towardsIn, depthIn, depthOut, span });
      }
      logSqrtPrice = end;
    }
    liquidity += zeroForOne ? -tick.liquidityNet : tick.liquidityNet;
  }
  return segments;
}

const LOG_SQRT_TICK = Math.log(1.0001) / 2;

function keptOf(pool: Pool): number {
  return 1 - pool.feePips / 1e6;
}
