import { type Static, Type } from '../../../conformance/contract/schema.ts';
import type { Address } from '../domain/address.ts';
import { MarketFileError } from '../domain/market-file-error.ts';
import { type LiveReads, PAIR_TOKENS, type PoolFamily } from './family.ts';
import { isZeroForOne, type PairIdentity, type SwapOutcome } from './pool.ts';
import { closed, pairIdentity, parsePair, parseUpTo, signed, unsigned } from './pool-schema.ts';
import type { Segment } from './segment.ts';
import { costOfOutput } from './swap-step.ts';
import { type RangeState, SwapSteps, TICKS_PER_WORD } from './swap-steps.ts';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.ts';

/** A Uniswap V3 pool: liquidity in ranges between ticks. */
export type ConcentratedPool = PairIdentity & RangeState & { readonly family: 'concentrated' };

const tickIndex = Type.Integer({ minimum: -887272, maximum: 887272 });

/** Market-file fields of a pool whose liquidity lies in ranges. */
export const rangeFields = {
  ...pairIdentity,
  tickSpacing: Type.Integer({ minimum: 1, maximum: 16_383 }),
  sqrtPriceX96: unsigned,
  tick: tickIndex,
  liquidity: unsigned,
  ticks: Type.Array(closed({ index: tickIndex, liquidityGross: unsigned, liquidityNet: signed }), {
    description: 'All initialized ticks, ascending by index.',
  }),
};
const schema = closed({ family: Type.Literal('concentrated'), ...rangeFields });
type File = Static<typeof schema>;

const live: LiveReads<File, Omit<File, 'sqrtPriceX96' | 'tick' | 'liquidity' | 'ticks'>> = {
  identify: [
    () => [
      ...PAIR_TOKENS,
      { view: 'function fee() view returns (uint24)' },
      { view: 'function tickSpacing() view returns (int24)' },
    ],
  ],
  identity: ({ address, source }, results) => {
    const [token0, token1, feePips, tickSpacing] = results as [string, string, number, number];
    return {
      family: 'concentrated',
      address,
      source,
      token0: token0.toLowerCase(),
      token1: token1.toLowerCase(),
      feePips,
      tickSpacing,
    };
  },
  reads: () => [
    // `slot0` returns more fields, but they differ between deployments.
    { view: 'function slot0() view returns (uint160, int24)' },
    { view: 'function liquidity() view returns (uint128)' },
  ],
  state: (fixed, results, ticks) => {
    const [[sqrtPriceX96, tick], liquidity] = results as [readonly [bigint, number], bigint];
    return {
      ...fixed,
      sqrtPriceX96: `${sqrtPriceX96}`,
      tick,
      liquidity: `${liquidity}`,
      ticks,
    };
  },
  ticks: () => ({
    readWord: 'function tickBitmap(int16)',
    readTick: 'function ticks(int24)',
  }),
};

const MAX_UINT128 = (1n << 128n) - 1n;

/*
 * Fitted by least squares to 270 random plans through the Universal Router on the fixture chain,
 * and rounded up.
 */
const RANGE_GAS = 78_000;
const TICK_GAS = 40_000;
const WORD_GAS = 7_600;

/**
 * Uniswap V3 pools. Amounts equal those of `UniswapV3Pool.swap` without a price limit. If liquidity
 * ends during a real swap, the pool takes less than the offered input; here, the outcome is
 * `exhausted`.
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/UniswapV3Pool.sol
 */
export const concentrated = {
  curve(pool, tokenIn) {
    const steps = new SwapSteps(pool, isZeroForOne(pool, tokenIn));
    return {
      swapExactInput(amountIn) {
        const step = steps.stepOfInput(amountIn);
        if (step === undefined) return largestSwap(steps);
        if (step.inputAfter === amountIn) {
          return { kind: 'filled', amountIn, amountOut: step.outputAfter };
        }
        const { amountOut } = steps.partOf(step, amountIn);
        return { kind: 'filled', amountIn, amountOut: step.outputBefore + amountOut };
      },
      swapExactOutput(amountOut) {
        const step = steps.stepOfOutput(amountOut);
        if (step === undefined) return largestSwap(steps);
        if (step.outputAfter === amountOut) {
          return { kind: 'filled', amountIn: step.inputAfter, amountOut };
        }
        const cost = costOfOutput(step.start, amountOut - step.outputBefore);
        return { kind: 'filled', amountIn: step.inputBefore + cost, amountOut };
      },
      segments: () => rangesAhead(pool, tokenIn),
      gas(amountIn, driftTicks) {
        const { tick } = priceAfter(pool, steps, amountIn);
        const low = Math.min(pool.tick, tick) - driftTicks;
        const high = Math.max(pool.tick, tick) + driftTicks;
        let crossed = 0;
        for (const { index } of pool.ticks) if (index > low && index <= high) crossed++;
        const wordOf = (index: number) => Math.floor(index / (pool.tickSpacing * TICKS_PER_WORD));
        return RANGE_GAS + crossed * TICK_GAS + (wordOf(high) - wordOf(low)) * WORD_GAS;
      },
    };
  },

  midPrice(pool, known) {
    if (pool.liquidity === 0n) return { price: 0, depth: 0 };
    const sqrtPrice = Number(pool.sqrtPriceX96) / 2 ** 96;
    const isToken0 = isZeroForOne(pool, known);
    const [held0, held1] = heldBy(pool, sqrtPrice);
    const inRange = Number(pool.liquidity);
    return isToken0
      ? { price: sqrtPrice ** -2, depth: Math.min(held0, inRange / sqrtPrice) }
      : { price: sqrtPrice ** 2, depth: Math.min(held1, inRange * sqrtPrice) };
  },

  feePips: ({ feePips }) => feePips,
  details: ({ feePips }) => ({ fee: feePips }),

  schema,
  parse: parseRanges,
  live,

  graphRouter: { hopBits: () => 1n << 184n, paidUpstream: 'exact-output' },
  universalRouter: {
    kind: 'path',
    exactIn: '0x00',
    exactOut: '0x01',
    pathFee: ({ feePips }) => feePips,
    mayTakeLess: true,
  },
} satisfies PoolFamily<ConcentratedPool, typeof schema>;

/** @throws {MarketFileError} if price, ticks and liquidity contradict each other */
export function parseRanges(file: Omit<File, 'family'>, at: string): ConcentratedPool {
  const pool: ConcentratedPool = {
    family: 'concentrated',
    ...parsePair(file),
    tickSpacing: file.tickSpacing,
    sqrtPriceX96: BigInt(file.sqrtPriceX96),
    tick: file.tick,
    liquidity: parseUpTo(MAX_UINT128, file.liquidity, `${at}/liquidity`),
    ticks: file.ticks.map(({ index, liquidityGross, liquidityNet }, j) => ({
      index,
      liquidityGross: parseUpTo(MAX_UINT128, liquidityGross, `${at}/ticks/${j}/liquidityGross`),
      liquidityNet: BigInt(liquidityNet),
    })),
  };
  requirePrice(pool, at);
  requireTicks(pool, at);
  return pool;
}

/** Returns the price of a pool, and its liquidity there, after it has taken `amountIn`. */
export function priceAfter(
  pool: ConcentratedPool,
  steps: SwapSteps,
  amountIn: bigint,
): Pick<ConcentratedPool, 'sqrtPriceX96' | 'tick' | 'liquidity'> {
  const step = steps.stepOfInput(amountIn) ?? steps.lastStep();
  if (step === undefined) return pool;
  if (amountIn >= step.inputAfter) {
    return { sqrtPriceX96: step.sqrtEndX96, tick: step.endTick, liquidity: step.endLiquidity };
  }
  const { sqrtPriceX96 } = steps.partOf(step, amountIn);
  const moved = sqrtPriceX96 !== step.start.sqrtPriceX96;
  return {
    sqrtPriceX96,
    tick: moved ? tickAtSqrtRatio(sqrtPriceX96) : step.startTick,
    liquidity: step.start.liquidity,
  };
}

function largestSwap(steps: SwapSteps): SwapOutcome {
  const last = steps.lastStep();
  return {
    kind: 'exhausted',
    amountIn: last?.inputAfter ?? 0n,
    amountOut: last?.outputAfter ?? 0n,
  };
}

/** More exact than `Math.log(1.0001) / 2`. */
const LOG_SQRT_TICK = Math.log1p(0.0001) / 2;

function rangesAhead(pool: ConcentratedPool, tokenIn: Address): Segment[] {
  const zeroForOne = isZeroForOne(pool, tokenIn);
  const segments: Segment[] = [];
  const afterFee = 1 - pool.feePips / 1e6;
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
        const depthIn = (Number(liquidity) * Math.exp(towardsIn)) / afterFee;
        const depthOut = Number(liquidity) * Math.exp(-towardsIn);
        segments.push({ logRate: Math.log(afterFee) - 2 * towardsIn, depthIn, depthOut, span });
      }
      logSqrtPrice = end;
    }
    liquidity += zeroForOne ? -tick.liquidityNet : tick.liquidityNet;
  }
  return segments;
}

/**
 * Returns the balances that the ranges hold at a price. A range trades like a pair with reserves
 * `L / sqrt(P)` and `L * sqrt(P)`, but a narrow range holds far less than such a pair.
 */
function heldBy({ ticks }: ConcentratedPool, sqrtPrice: number): [number, number] {
  let held0 = 0;
  let held1 = 0;
  let liquidity = 0;
  let lower = 0;
  for (const tick of ticks) {
    const upper = Math.exp(LOG_SQRT_TICK * tick.index);
    if (liquidity > 0) {
      held0 += liquidity * Math.max(0, 1 / Math.max(lower, sqrtPrice) - 1 / upper);
      held1 += liquidity * Math.max(0, Math.min(upper, sqrtPrice) - lower);
    }
    liquidity += Number(tick.liquidityNet);
    lower = upper;
  }
  return [held0, held1];
}

/**
 * Checks that the price is in range and that `tick` matches it. If the price is exactly on a tick's
 * boundary, the tick below matches too, since a falling price may have just crossed the boundary.
 *
 * @throws {MarketFileError} otherwise
 */
function requirePrice({ sqrtPriceX96, tick }: ConcentratedPool, at: string): void {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO) {
    const range = `must be at least ${MIN_SQRT_RATIO} and below ${MAX_SQRT_RATIO}`;
    throw new MarketFileError(`${at}/sqrtPriceX96`, sqrtPriceX96, range);
  }
  const own = tickAtSqrtRatio(sqrtPriceX96);
  if (tick === own || (tick === own - 1 && sqrtRatioAtTick(own) === sqrtPriceX96)) return;
  throw new MarketFileError(`${at}/tick`, tick, `must be ${own}, the tick of sqrtPriceX96`);
}

/**
 * @throws {MarketFileError} unless the ticks are ascending multiples of the spacing, and their
 * sum up to the current tick is the liquidity
 */
function requireTicks({ ticks, tick, tickSpacing, liquidity }: ConcentratedPool, at: string): void {
  const reject = (place: string, value: unknown, must: string) => {
    throw new MarketFileError(`${at}/${place}`, value, must);
  };
  let before: number | undefined;
  let sum = 0n;
  let here = 0n;
  for (const [j, { index, liquidityNet }] of ticks.entries()) {
    const place = `ticks/${j}`;
    if (index % tickSpacing !== 0) {
      reject(`${place}/index`, index, `must be a multiple of ${tickSpacing}`);
    }
    if (before !== undefined && index <= before) {
      reject(`${place}/index`, index, `must be above ${before}`);
    }
    before = index;
    sum += liquidityNet;
    if (sum < 0n) reject(`${place}/liquidityNet`, liquidityNet, 'must not make liquidity negative');
    if (index <= tick) here = sum;
  }
  if (sum !== 0n) reject('ticks', sum, 'must sum to a liquidityNet of 0');
  if (here !== liquidity) {
    reject('liquidity', liquidity, `must be ${here}, the liquidityNet up to the tick`);
  }
}
