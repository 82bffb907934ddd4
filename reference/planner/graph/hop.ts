import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { curveOf, directionsOf, type Pool, type PoolDirection } from '../pools/families.ts';
import type { SwapCurve } from '../pools/family.ts';
import { capacityIn, capacityOut, type Segment } from '../pools/segment.ts';

/** One direction of one pool. */
export type Hop = PoolDirection & {
  readonly curve: SwapCurve<Pool>;
  /** Numbers of the two tokens. @see {@link numberOfToken} */
  readonly tail: number;
  readonly head: number;
  /** Best price first; never empty. */
  readonly segments: readonly Segment[];
  /** The same, laid out for the dual solver. */
  readonly ladder: Ladder;
  /** Natural logarithm of output per input at the pool's present state, fee taken. */
  readonly logPrice: number;
  /** What the pool takes and gives at most, in base units. */
  readonly capacityIn: number;
  readonly capacityOut: number;
};

/** A hop's segments, best price first, and behind them its tail. */
export type Ladder = {
  /** Price at which each segment starts and ends, natural logarithm of output per input. */
  readonly logPrice: Float64Array;
  readonly logEnd: Float64Array;
  readonly depthIn: Float64Array;
  readonly depthOut: Float64Array;
  /** What the segments before this one take and give, in base units. */
  readonly inputBefore: Float64Array;
  readonly outputBefore: Float64Array;
};

const numbers = new Map<Address, number>();

/** Returns the number of a token, the same for good: arrays by number are faster than maps by address. */
export function numberOfToken(token: Address): number {
  const known = numbers.get(token) ?? numbers.size;
  numbers.set(token, known);
  return known;
}

/** Returns an array with an entry for each number of a token so far. */
export function byToken(filling: number): Int32Array {
  return new Int32Array(numbers.size).fill(filling);
}

/** Returns the directions in which a pool trades; made once for each state of a pool, so that other pools' changes cost nothing. */
export const hopsOfPool = keptWith((pool: Pool): readonly Hop[] =>
  directionsOf(pool).flatMap(({ tokenIn, tokenOut }): Hop[] => {
    const curve = curveOf({ pool, tokenIn, tokenOut });
    const segments = curve.segments();
    const first = segments[0];
    if (first === undefined) return [];
    return [
      {
        pool,
        tokenIn,
        tokenOut,
        curve,
        tail: numberOfToken(tokenIn),
        head: numberOfToken(tokenOut),
        segments,
        ladder: ladderOf(segments),
        logPrice: first.logPrice,
        capacityIn: capacityIn(segments),
        capacityOut: capacityOut(segments),
      },
    ];
  }),
);

/**
 * Depth of the tail behind each pool's last segment, as part of that segment's,
 * or, where the segment ends long before it has taken its depth, as part of what
 * the pool takes. A tail stands for no liquidity: it never ends, so that the dual always has a
 * finite optimum; what it carries is too little to count, and nothing of it
 * reaches a plan.
 */
const TAIL = 1e-9;

export function ladderOf(segments: readonly Segment[]): Ladder {
  const size = segments.length + 1;
  const column = () => new Float64Array(size);
  const ladder = {
    logPrice: column(),
    logEnd: column(),
    depthIn: column(),
    depthOut: column(),
    inputBefore: column(),
    outputBefore: column(),
  };
  let inputBefore = 0;
  let outputBefore = 0;
  const put = (at: number, { logPrice, depthIn, depthOut, span }: Segment) => {
    ladder.logPrice[at] = logPrice;
    ladder.logEnd[at] = logPrice - 2 * span;
    ladder.depthIn[at] = depthIn;
    ladder.depthOut[at] = depthOut;
    ladder.inputBefore[at] = inputBefore;
    ladder.outputBefore[at] = outputBefore;
  };
  for (const [at, segment] of segments.entries()) {
    put(at, segment);
    inputBefore += segment.depthIn * Math.expm1(segment.span);
    outputBefore -= segment.depthOut * Math.expm1(-segment.span);
  }
  const last = segments.at(-1);
  if (last === undefined) return ladder;
  const taken = inputBefore / (last.depthIn * Math.exp(last.span));
  const part = taken < 1 ? TAIL * taken : TAIL;
  put(size - 1, {
    logPrice: last.logPrice - 2 * last.span,
    depthIn: last.depthIn * Math.exp(last.span) * part,
    depthOut: last.depthOut * Math.exp(-last.span) * part,
    span: Number.POSITIVE_INFINITY,
  });
  return ladder;
}
