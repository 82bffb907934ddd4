import type { Segment } from './segment.ts';

/** What a pool gives for what it takes, as floats: rising, concave and smooth. */
export type SmoothCurve = {
  readonly outputAt: (input: number) => number;
  /** Output per input of a little more. */
  readonly priceAt: (input: number) => number;
};

/** How far a segment may run off the curve, as part of the output there, and at which parts of its length that is checked. */
const TOLERANCE = 1.5e-7;
const CHECKED = [0.25, 0.5, 0.75];
/** By how much segments are raised, in logarithms of the price: what that may leave below the curve. */
const RAISED = 4e-7;
/** The first stretch, as part of what the pool holds, and how often one is halved at most. */
const FIRST = 2 ** -8;
const MAX_HALVINGS = 12;
/** A curve ends where a stretch as long as all before it yields less than this part of them. */
const LEAST_GAIN = 1e-9;

type Stretch = {
  readonly length: number;
  readonly output: number;
  /** Natural logarithms of the curve's price at both ends. */
  readonly logStart: number;
  readonly logEnd: number;
};

/**
 * Returns segments that run along a curve up to `mostIn`, nowhere below it and
 * above it by a few hundred-thousandths of the output at most, far less where
 * the price has hardly moved, so that a bound for them is
 * one for the curve. `held` is what
 * the pool holds of the token that goes in: the order of size at which the curve
 * bends.
 */
export function fitSegments(curve: SmoothCurve, held: number, mostIn: number): Segment[] {
  const stretches: Stretch[] = [];
  let start = 0;
  for (let end = held * FIRST; start < mostIn; end *= 2) {
    const stop = Math.min(end, mostIn);
    const gained = curve.outputAt(stop) - curve.outputAt(start);
    if (!(gained > LEAST_GAIN * curve.outputAt(start))) break;
    follow(curve, start, stop, MAX_HALVINGS, stretches);
    start = stop;
  }
  return joined(stretches);
}

/** Adds stretches between two inputs, halved until each keeps to the curve. */
function follow(
  curve: SmoothCurve,
  start: number,
  end: number,
  halvings: number,
  stretches: Stretch[],
): void {
  const before = curve.outputAt(start);
  const stretch = {
    length: end - start,
    output: curve.outputAt(end) - before,
    logStart: Math.log(curve.priceAt(start)),
    logEnd: Math.log(curve.priceAt(end)),
  };
  const segment = segmentOf(stretch);
  const isNear = CHECKED.every((part) => {
    const fitted = before + outputOf(segment, part * stretch.length);
    const exact = curve.outputAt(start + part * stretch.length);
    return Math.abs(fitted - exact) <= TOLERANCE * exact;
  });
  // Where all begins, the price counts too: it is what a small trade gets.
  const startsRight = start > 0 || Math.abs(segment.logRate - stretch.logStart) < RAISED / 2;
  if (halvings === 0 || (isNear && startsRight)) {
    if (stretch.output > 0 && stretch.logStart > stretch.logEnd) stretches.push(stretch);
    return;
  }
  const middle = (start + end) / 2;
  follow(curve, start, middle, halvings - 1, stretches);
  follow(curve, middle, end, halvings - 1, stretches);
}

/** The segment of that length and output, and of the curve's fall of price. */
function segmentOf({ length, output, logStart, logEnd }: Stretch): Segment {
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

/** The segments in a row: none starts above where the one before it ends, which is raised to there. */
function joined(stretches: readonly Stretch[]): Segment[] {
  const segments: Segment[] = [];
  let next = Number.NEGATIVE_INFINITY;
  for (const stretch of [...stretches].reverse()) {
    const { logRate, span } = segmentOf(stretch);
    const end = Math.max(next, logRate + RAISED - 2 * span);
    const start = Math.max(logRate + RAISED, end + Number.EPSILON);
    segments.push(segmentFrom(start, (start - end) / 2, stretch.length));
    next = start;
  }
  return segments.reverse();
}
