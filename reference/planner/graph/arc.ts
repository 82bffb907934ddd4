import type { Address } from '../domain/address.ts';
import { at } from '../domain/at.ts';
import { curveOf, directionsOf, type Pool, type PoolDirection } from '../pools/families.ts';
import type { SwapCurve } from '../pools/family.ts';
import type { Segment } from '../pools/segment.ts';

/**
 * Amounts in the same segment and in the same step of an octave are assumed to use the same gas.
 */
const GAS_STEPS_PER_OCTAVE = 2;

/** An arc of the token graph: one direction of one pool in one state. */
export class Arc implements PoolDirection {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Numbers of the two tokens in the market's graph. */
  readonly tail: number;
  readonly head: number;
  /** Exact amounts, as the pool's contract computes them. */
  readonly curve: SwapCurve;
  /** The same curve as float segments, best rate first. Never empty. */
  readonly segments: readonly Segment[];
  /** The segments as columns, for the dual solver. */
  readonly columns: SegmentColumns;
  /** Natural logarithm of output per input, after the fee, in the pool's current state. */
  readonly logRate: number;
  /** Largest input and output, in base units. */
  readonly capacityIn: number;
  readonly capacityOut: number;
  readonly #gas = new Map<number, number>();

  constructor(
    { pool, tokenIn, tokenOut }: PoolDirection,
    curve: SwapCurve,
    segments: readonly Segment[],
    numberOf: (token: Address) => number,
  ) {
    this.pool = pool;
    this.tokenIn = tokenIn;
    this.tokenOut = tokenOut;
    this.tail = numberOf(tokenIn);
    this.head = numberOf(tokenOut);
    this.curve = curve;
    this.segments = segments;
    this.columns = columnsOf(segments);
    this.logRate = segments[0]?.logRate ?? Number.NEGATIVE_INFINITY;
    this.capacityIn = at(this.columns.inputBefore, segments.length);
    this.capacityOut = at(this.columns.outputBefore, segments.length);
  }

  /** Gas of the smallest swap, a lower bound for all swaps. */
  get minGas(): number {
    return this.curve.gas(1n, 0);
  }

  /**
   * Returns the gas of a swap of about `amountIn`, computed for the smallest amount in the same
   * segment and octave step. Cached, because plans net of gas would otherwise take 1.1 to 1.2 times
   * as long, or 1.4 times for disjoint paths.
   */
  gasFor(amountIn: number): number {
    const { inputBefore } = this.columns;
    const segment = this.#segmentAt(amountIn);
    const step = Math.floor(Math.log2(Math.max(1, amountIn)) * GAS_STEPS_PER_OCTAVE);
    const key = step * this.segments.length + segment;
    let gas = this.#gas.get(key);
    if (gas === undefined) {
      const smallest = Math.max(2 ** (step / GAS_STEPS_PER_OCTAVE), at(inputBefore, segment));
      gas = this.curve.gas(BigInt(Math.ceil(smallest)) + 1n, 0);
      this.#gas.set(key, gas);
    }
    return gas;
  }

  /** Returns the float output for `amountIn`; 0 if the pool takes less. */
  outputFor(amountIn: number): number {
    const { depthIn, depthOut, inputBefore, outputBefore } = this.columns;
    if (amountIn > this.capacityIn) return 0;
    const segment = this.#segmentAt(amountIn);
    const growth = (amountIn - at(inputBefore, segment)) / at(depthIn, segment);
    return at(outputBefore, segment) + (at(depthOut, segment) * growth) / (1 + growth);
  }

  /** Returns the index of the segment in which an input ends. */
  #segmentAt(amountIn: number): number {
    const { inputBefore } = this.columns;
    const last = this.segments.length - 1;
    let segment = 0;
    while (segment < last && at(inputBefore, segment + 1) < amountIn) segment++;
    return segment;
  }
}

/** Returns the arcs of a pool: the directions in which it can trade. */
export function arcsOfPool(pool: Pool, numberOf: (token: Address) => number): readonly Arc[] {
  return directionsOf(pool).flatMap((direction) => {
    const curve = curveOf(direction);
    const segments = curve.segments();
    return segments.length === 0 ? [] : [new Arc(direction, curve, segments, numberOf)];
  });
}

/** Columns of an arc's segments, best rate first, followed by the padding. */
export type SegmentColumns = {
  /** Natural logarithms of the rates at which each segment starts and ends. */
  readonly logRate: Float64Array;
  readonly logEndRate: Float64Array;
  readonly depthIn: Float64Array;
  readonly depthOut: Float64Array;
  /** Input and output of all segments before this one, in base units. */
  readonly inputBefore: Float64Array;
  readonly outputBefore: Float64Array;
};

/**
 * Depth of the padding, relative to the depth of the last segment. If the last segment ends long
 * before its depth, relative to the pool's capacity. The padding represents no liquidity and has no
 * end, so that the dual always has a finite optimum. Its flow is negligible, and plans never use
 * it.
 */
const RELATIVE_PADDING_DEPTH = 1e-9;

export function columnsOf(segments: readonly Segment[]): SegmentColumns {
  const size = segments.length + 1;
  const column = () => new Float64Array(size);
  const columns = {
    logRate: column(),
    logEndRate: column(),
    depthIn: column(),
    depthOut: column(),
    inputBefore: column(),
    outputBefore: column(),
  };
  let inputBefore = 0;
  let outputBefore = 0;
  const put = (index: number, { logRate, depthIn, depthOut, span }: Segment) => {
    columns.logRate[index] = logRate;
    columns.logEndRate[index] = logRate - 2 * span;
    columns.depthIn[index] = depthIn;
    columns.depthOut[index] = depthOut;
    columns.inputBefore[index] = inputBefore;
    columns.outputBefore[index] = outputBefore;
  };
  for (const [index, segment] of segments.entries()) {
    put(index, segment);
    inputBefore += segment.depthIn * Math.expm1(segment.span);
    outputBefore -= segment.depthOut * Math.expm1(-segment.span);
  }
  const last = segments.at(-1);
  if (last === undefined) return columns;
  const taken = inputBefore / (last.depthIn * Math.exp(last.span));
  // Not `Math.min`, because `taken` is NaN if the segments are empty.
  const depth = taken < 1 ? RELATIVE_PADDING_DEPTH * taken : RELATIVE_PADDING_DEPTH;
  put(size - 1, {
    logRate: last.logRate - 2 * last.span,
    depthIn: last.depthIn * Math.exp(last.span) * depth,
    depthOut: last.depthOut * Math.exp(-last.span) * depth,
    span: Number.POSITIVE_INFINITY,
  });
  return columns;
}
