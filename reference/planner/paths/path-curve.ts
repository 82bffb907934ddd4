import { at } from '../domain/at.ts';
import { firstIndex } from '../domain/first-index.ts';
import type { Arc } from '../graph/arc.ts';
import type { Segment } from '../pools/segment.ts';

/**
 * Output of a path as a concave function of its input, as floats in base units. Piece `i` starts at
 * input `starts[i]`. At `x` beyond that start, its output is `root^2 * x / (1 + bend * x)`.
 * Composing two functions of this form results in the same form, so a path has one piece for each
 * end of a range in its pools.
 */
export type PathCurve = {
  /** Input at which each piece starts; the last entry is where the curve ends. */
  readonly starts: Float64Array;
  /** Output of all pieces before each piece; the last entry is the total output. */
  readonly outputs: Float64Array;
  /** Square root of the rate (output per input) at which each piece starts; descending. */
  readonly roots: Float64Array;
  readonly bends: Float64Array;
};

/** Returns the curve of a path through consecutive arcs. */
export function curveThrough(arcs: readonly Arc[]): PathCurve {
  return placed(arcs.map((arc) => arc.segments.map(pieceOfSegment)).reduce(compose));
}

/** Returns the largest input. */
export function capacityOf({ starts }: PathCurve): number {
  return starts.at(-1) ?? 0;
}

/** Returns the output of `input`. Beyond the capacity, this is the total output. */
export function outputOf(curve: PathCurve, input: number): number {
  const { starts, outputs } = curve;
  const piece = lastBelow(starts, input);
  if (piece < 0) return 0;
  if (piece === starts.length - 1) return at(outputs, piece);
  const output = at(outputs, piece) + along(curve, piece, input - at(starts, piece));
  // Rounding must not give a part of a piece more output than the whole piece.
  return Math.min(output, at(outputs, piece + 1));
}

/** Returns the smallest input that gives `output`; infinite if the path gives less. */
export function inputOf({ starts, outputs, roots, bends }: PathCurve, output: number): number {
  const piece = lastBelow(outputs, output);
  if (piece < 0) return 0;
  if (piece === outputs.length - 1) return Number.POSITIVE_INFINITY;
  const left = output - at(outputs, piece);
  return at(starts, piece) + left / (at(roots, piece) ** 2 - at(bends, piece) * left);
}

/** Returns the square root of the marginal rate after `input`; 0 at the end of the curve. */
export function rootAt({ starts, roots, bends }: PathCurve, input: number): number {
  const piece = lastBelow(starts, input);
  if (piece < 0) return at(roots, 0);
  if (piece === starts.length - 1) return 0;
  return at(roots, piece) / (1 + at(bends, piece) * (input - at(starts, piece)));
}

/** Returns the input at which the marginal rate has fallen to the square of `root`. */
export function inputDownTo({ starts, roots, bends }: PathCurve, root: number): number {
  const piece = lastAbove(roots, root);
  if (piece < 0) return 0;
  const length = (at(roots, piece) / root - 1) / at(bends, piece);
  return Math.min(at(starts, piece) + length, at(starts, piece + 1));
}

/**
 * Returns the derivative of {@link inputDownTo} with respect to `1 / root`; 0 between two pieces.
 */
export function growthAt({ starts, roots, bends }: PathCurve, root: number): number {
  const piece = lastAbove(roots, root);
  if (piece < 0) return 0;
  const length = (at(roots, piece) / root - 1) / at(bends, piece);
  const isWithin = at(starts, piece) + length < at(starts, piece + 1);
  return isWithin ? at(roots, piece) / at(bends, piece) : 0;
}

function lastBelow(ascending: Float64Array, value: number): number {
  return firstIndex(ascending.length, (index) => at(ascending, index) >= value) - 1;
}

function lastAbove(descending: Float64Array, value: number): number {
  return firstIndex(descending.length, (index) => at(descending, index) <= value) - 1;
}

function along({ roots, bends }: PathCurve, piece: number, input: number): number {
  return (at(roots, piece) ** 2 * input) / (1 + at(bends, piece) * input);
}

type Piece = {
  readonly length: number;
  readonly rate: number;
  readonly bend: number;
};

function pieceOfSegment({ logRate, depthIn, span }: Segment): Piece {
  return { length: depthIn * Math.expm1(span), rate: Math.exp(logRate), bend: 1 / depthIn };
}

function outputOfPiece({ rate, bend }: Piece, input: number): number {
  return (rate * input) / (1 + bend * input);
}

function rest({ length, rate, bend }: Piece, input: number): Piece {
  const slope = 1 + bend * input;
  return { length: length - input, rate: rate / slope ** 2, bend: bend / slope };
}

function compose(first: readonly Piece[], second: readonly Piece[]): Piece[] {
  const pieces: Piece[] = [];
  const [before, after] = [[...first].reverse(), [...second].reverse()];
  let a = before.pop();
  let b = after.pop();
  while (a !== undefined && b !== undefined) {
    const headroom = a.rate - a.bend * b.length;
    const untilNextB = headroom > 0 ? b.length / headroom : Number.POSITIVE_INFINITY;
    const length = Math.min(a.length, untilNextB);
    pieces.push({ length, rate: a.rate * b.rate, bend: a.bend + b.bend * a.rate });
    const isEndOfB = untilNextB <= a.length;
    const passed = outputOfPiece(a, length);
    a = untilNextB < a.length ? rest(a, length) : before.pop();
    b = isEndOfB ? after.pop() : rest(b, passed);
  }
  return pieces;
}

function placed(pieces: readonly Piece[]): PathCurve {
  const starts = new Float64Array(pieces.length + 1);
  const outputs = new Float64Array(pieces.length + 1);
  for (const [index, piece] of pieces.entries()) {
    starts[index + 1] = at(starts, index) + piece.length;
    outputs[index + 1] = at(outputs, index) + outputOfPiece(piece, piece.length);
  }
  return {
    starts,
    outputs,
    roots: Float64Array.from(pieces, ({ rate }) => Math.sqrt(rate)),
    bends: Float64Array.from(pieces, ({ bend }) => bend),
  };
}
