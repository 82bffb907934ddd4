import { firstIndex } from '../domain/first-index.ts';
import { type StepStart, stepToTarget, stepWithInput } from './swap-step.ts';
import {
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
  sqrtRatioAtTick,
} from './tick-math.ts';

/**
 * An initialized tick. When the price crosses the tick upward, `liquidityNet` is added to the
 * liquidity.
 */
export type Tick = {
  readonly index: number;
  readonly liquidityGross: bigint;
  readonly liquidityNet: bigint;
};

/** State of a pool whose liquidity lies in ranges between ticks. */
export type RangeState = {
  /** Fee in millionths of the input. */
  readonly feePips: number;
  readonly tickSpacing: number;
  /** Square root of the price token1/token0 in Q64.96. */
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  /** Liquidity that is in range at the current price. */
  readonly liquidity: bigint;
  /** All initialized ticks, ascending by index. */
  readonly ticks: readonly Tick[];
};

/**
 * Number of bits in a word of the pool's bitmap. Each bit represents one multiple of the tick
 * spacing.
 */
export const TICKS_PER_WORD = 256;

/**
 * One step of `UniswapV3Pool.swap`, from a price to the next tick in the bitmap. The amounts before
 * and after the step are totals since the start of the swap, including the fee.
 */
type Step = {
  readonly start: StepStart;
  readonly startTick: number;
  readonly inputBefore: bigint;
  readonly outputBefore: bigint;
  readonly inputAfter: bigint;
  readonly outputAfter: bigint;
  /** Includes the crossing of the tick at the step's end. */
  readonly sqrtEndX96: bigint;
  readonly endTick: number;
  readonly endLiquidity: bigint;
};

type StepWithInput = ReturnType<typeof stepWithInput>;

/**
 * The steps of a swap in one direction through a pool, from the pool's price to the price limit.
 * Steps are computed only as far as amounts require.
 * The contract also stops and rounds at the end of each bitmap word that has no initialized tick,
 * so steps end there too. Ranges without liquidity only move the price, and are not steps.
 */
export class SwapSteps {
  readonly #pool: RangeState;
  readonly #zeroForOne: boolean;
  readonly #steps: Step[] = [];
  #sqrtPriceX96: bigint;
  #tick: number;
  #liquidity: bigint;
  /** Index in `pool.ticks` of the next initialized tick; -1 or the length if there is none. */
  #next: number;
  #sold: { readonly amountIn: bigint; readonly part: StepWithInput } | undefined;

  constructor(pool: RangeState, zeroForOne: boolean) {
    this.#pool = pool;
    this.#zeroForOne = zeroForOne;
    this.#sqrtPriceX96 = pool.sqrtPriceX96;
    this.#tick = pool.tick;
    this.#liquidity = pool.liquidity;
    const { ticks, tick } = pool;
    const above = firstIndex(ticks.length, (index) => (ticks[index]?.index ?? tick) > tick);
    this.#next = zeroForOne ? above - 1 : above;
  }

  /**
   * Returns the step in which the total input reaches `amountIn`; `undefined` if liquidity ends
   * first.
   */
  stepOfInput(amountIn: bigint): Step | undefined {
    return this.#find((step) => step.inputAfter >= amountIn);
  }

  /**
   * Returns the step in which the total output reaches `amountOut`; `undefined` if liquidity ends
   * first.
   */
  stepOfOutput(amountOut: bigint): Step | undefined {
    return this.#find((step) => step.outputAfter >= amountOut);
  }

  /** Returns the last step; `undefined` if the pool has no liquidity in this direction. */
  lastStep(): Step | undefined {
    return this.#find(() => false) ?? this.#steps.at(-1);
  }

  /**
   * Returns the price after `amountIn` and the output of this part of the step. The input must end
   * in this step.
   */
  partOf(step: Step, amountIn: bigint): StepWithInput {
    // The gas estimate of a sale uses the same part, so it is cached.
    if (this.#sold?.amountIn === amountIn) return this.#sold.part;
    const part = stepWithInput(step.start, amountIn - step.inputBefore);
    this.#sold = { amountIn, part };
    return part;
  }

  /**
   * Returns the first step for which `reached` is true. It must be true for all later steps too.
   */
  #find(reached: (step: Step) => boolean): Step | undefined {
    let top = this.#steps.at(-1);
    while (top === undefined || !reached(top)) {
      top = this.#computeNext();
      if (top === undefined) return undefined;
    }
    const steps = this.#steps;
    return steps[firstIndex(steps.length, (index) => reached(steps[index] as Step))];
  }

  #computeNext(): Step | undefined {
    const { ticks, tickSpacing, feePips } = this.#pool;
    const zeroForOne = this.#zeroForOne;
    const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
    while (zeroForOne ? this.#sqrtPriceX96 > limit : this.#sqrtPriceX96 < limit) {
      const initialized = ticks[this.#next];
      if (this.#liquidity === 0n && initialized === undefined) return undefined;
      const wordEnd = zeroForOne
        ? firstTickOfWord(this.#tick, tickSpacing)
        : lastTickOfWord(this.#tick + tickSpacing, tickSpacing);
      // Nothing is rounded in a range without liquidity, so skip to its end.
      const stopsAtTick =
        initialized !== undefined &&
        (this.#liquidity === 0n ||
          (zeroForOne ? initialized.index >= wordEnd : initialized.index <= wordEnd));
      const stop = stopsAtTick
        ? initialized.index
        : Math.max(MIN_TICK, Math.min(MAX_TICK, wordEnd));
      const stopRatio = sqrtRatioAtTick(stop);
      const beyondLimit = zeroForOne ? stopRatio < limit : stopRatio > limit;

      const start: StepStart = {
        sqrtPriceX96: this.#sqrtPriceX96,
        liquidity: this.#liquidity,
        zeroForOne,
        feePips: BigInt(feePips),
      };
      const startTick = this.#tick;
      this.#sqrtPriceX96 = beyondLimit ? limit : stopRatio;
      this.#tick = zeroForOne ? stop - 1 : stop;
      if (beyondLimit) this.#tick = zeroForOne ? MIN_TICK : MAX_TICK - 1;
      else if (stopsAtTick) {
        this.#liquidity += zeroForOne ? -initialized.liquidityNet : initialized.liquidityNet;
        this.#next += zeroForOne ? -1 : 1;
      }
      if (start.liquidity > 0n && start.sqrtPriceX96 !== this.#sqrtPriceX96) {
        return this.#addStep(start, startTick);
      }
    }
    return undefined;
  }

  #addStep(start: StepStart, startTick: number): Step {
    const before = this.#steps.at(-1);
    const inputBefore = before?.inputAfter ?? 0n;
    const outputBefore = before?.outputAfter ?? 0n;
    const amounts = stepToTarget(start, this.#sqrtPriceX96);
    const step: Step = {
      start,
      startTick,
      inputBefore,
      outputBefore,
      inputAfter: inputBefore + amounts.amountIn,
      outputAfter: outputBefore + amounts.amountOut,
      sqrtEndX96: this.#sqrtPriceX96,
      endTick: this.#tick,
      endLiquidity: this.#liquidity,
    };
    this.#steps.push(step);
    return step;
  }
}

function firstTickOfWord(tick: number, tickSpacing: number): number {
  const ticksOfWord = TICKS_PER_WORD * tickSpacing;
  return Math.floor(tick / ticksOfWord) * ticksOfWord;
}

function lastTickOfWord(tick: number, tickSpacing: number): number {
  return firstTickOfWord(tick, tickSpacing) + (TICKS_PER_WORD - 1) * tickSpacing;
}
