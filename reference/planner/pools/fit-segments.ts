import type { Segment } from './segment.ts';

/**
 * Output of a pool as a function of its input, in floats. The output is rising, concave and smooth.
 */
export type SmoothCurve = {
  readonly outputAt: (input: number) => number;
  /** Marginal rate: output per input. */
  readonly priceAt: (input: number) => number;
};

const MAX_FIT_ERROR = 1.5e-7;
/** Fractions of a segment's length at which its distance from the curve is checked. */
const CHECKED_PARTS = [0.25, 0.5, 0.75];
/**
 * Segments are raised by this log rate, so that fitting errors cannot put a segment below the
 * curve.
 */
const FIT_LOG_RATE_MARGIN = 4e-7;
const FIRST_INTERVAL = 2 ** -8;
/** Maximum number of times that an interval is halved. */
const MAX_HALVINGS = 12;
/**
 * The curve ends at the first interval that gains less than this fraction of the output before it.
 */
const MIN_INTERVAL_GAIN = 1e-9;

type Interval = {
  readonly length: number;
  readonly output: number;
  readonly logStart: number;
  readonly logEnd: number;
};

/**
 * Returns segments that follow a curve up to `maxIn`. The segments are never below the curve, so a
 * bound on them also holds for the curve. They exceed the curve by at most a few
 * hundred-thousandths of the output, and by much less at small inputs.
 * @param held - The pool's balance of the input token. The curve bends around inputs of this size.
 */
export function fitSegments(curve: SmoothCurve, held: number, maxIn: number): Segment[] {
  const intervals: Interval[] = [];
  let start = 0;
  for (let end = held * FIRST_INTERVAL; start < maxIn; end *= 2) {
    const stop = Math.min(end, maxIn);
    const gained = curve.outputAt(stop) - curve.outputAt(start);
    if (!(gained > MIN_INTERVAL_GAIN * curve.outputAt(start))) break;
    follow(curve, start, stop, MAX_HALVINGS, intervals);
    start = stop;
  }
  return joined(intervals);
}

/** Halves the interval until each part is close to the curve. */
function follow(
  curve: SmoothCurve,
  start: number,
  end: number,
  halvings: number,
  intervals: Interval[],
): void {
  const before = curve.outputAt(start);
  const interval = {
    length: end - start,
    output: curve.outputAt(end) - before,
    logStart: Math.log(curve.priceAt(start)),
    logEnd: Math.log(curve.priceAt(end)),
  };
  const segment = segmentOf(interval);
  const isNear = CHECKED_PARTS.every((part) => {
    const fitted = before + outputOf(segment, part * interval.length);
    const exact = curve.outputAt(start + part * interval.length);
    return Math.abs(fitted - exact) <= MAX_FIT_ERROR * exact;
  });
  // The initial rate must be accurate too, because small trades execute at that rate.
  const startsRight =
    start > 0 || Math.abs(segment.logRate - interval.logStart) < FIT_LOG_RATE_MARGIN / 2;
  if (halvings === 0 || (isNear && startsRight)) {
    if (interval.output > 0 && interval.logStart > interval.logEnd) intervals.push(interval);
    return;
  }
  const middle = (start + end) / 2;
  follow(curve, start, middle, halvings - 1, intervals);
  follow(curve, middle, end, halvings - 1, intervals);
}

/** Returns the segment that has the interval's length, output and fall in rate. */
function segmentOf({ length, output, logStart, logEnd }: Interval): Segment {
  const span = (logStart - logEnd) / 2;
  return segmentFrom(Math.log(output / length) + span, span, length);
}

function segmentFrom(logRate: number, span: number, length: number): Segment {
  const depthIn = length / Math.expm1(span);
  return { logRate, depthIn, depthOut: depthIn * Math.exp(logRate), span };
}

function outputOf({ depthIn, depthOut }: Segment, input: number): number {
  return (depthOut * input) / (depthIn + input);
}

/**
 * Returns the segments of the intervals. Raises the end of each segment to the start of the next,
 * so that rates never rise.
 */
function joined(intervals: readonly Interval[]): Segment[] {
  const segments: Segment[] = [];
  let next = Number.NEGATIVE_INFINITY;
  for (const interval of [...intervals].reverse()) {
    const { logRate, span } = segmentOf(interval);
    const end = Math.max(next, logRate + FIT_LOG_RATE_MARGIN - 2 * span);
    const start = Math.max(logRate + FIT_LOG_RATE_MARGIN, end + Number.EPSILON);
    segments.push(segmentFrom(start, (start - end) / 2, interval.length));
    next = start;
  }
  return segments.reverse();
}
