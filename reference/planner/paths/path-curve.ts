import { keptWith } from '../domain/kept-with.ts';
import type { Path } from '../graph/path.ts';
import type { Segment } from '../pools/segment.ts';

/**
 * What a path gives for what it takes, as floats in base units; concave. Piece
 * `i` starts at input `starts[i]`; along it output is `root^2 * x / (1 + bend * x)`,
 * `x` counted from the start. Curves of this form are closed under composition,
 * so a path has as many pieces as its pools have ends of ranges.
 */
export type PathCurve = {
  /** Where each piece starts, and at last where the curve ends. */
  readonly starts: Float64Array;
  /** What the pieces before this one give; at last what all give. */
  readonly outputs: Float64Array;
  /** Square root of the price, output per input, at which each piece starts; falling. */
  readonly roots: Float64Array;
  readonly bends: Float64Array;
};

export const curveOf = keptWith(
  ({ hops }: Path): PathCurve =>
    placed(hops.map((hop) => hop.segments.map(pieceOfSegment)).reduce(compose)),
);

/** Returns what a path takes at most. */
export function capacityOf({ starts }: PathCurve): number {
  return starts.at(-1) ?? 0;
}

/** Returns what `input` gives; beyond the capacity, what the capacity gives. */
export function outputOf(curve: PathCurve, input: number): number {
  const { starts, outputs } = curve;
  const piece = lastBelow(starts, input);
  if (piece < 0) return 0;
  if (piece === starts.length - 1) return outputs[piece] ?? 0;
  const output = (outputs[piece] ?? 0) + along(curve, piece, input - (starts[piece] ?? 0));
  // Rounding would have the last of a piece give more than all of it.
  return Math.min(output, outputs[piece + 1] ?? 0);
}

/** Returns the least input that gives `output`; infinite if the path gives less. */
export function inputOf({ starts, outputs, roots, bends }: PathCurve, output: number): number {
  const piece = lastBelow(outputs, output);
  if (piece < 0) return 0;
  if (piece === outputs.length - 1) return Number.POSITIVE_INFINITY;
  const left = output - (outputs[piece] ?? 0);
  return (starts[piece] ?? 0) + left / ((roots[piece] ?? 0) ** 2 - (bends[piece] ?? 0) * left);
}

/** Returns the square root of the marginal price once `input` has gone in; 0 at the end. */
export function rootAt({ starts, roots, bends }: PathCurve, input: number): number {
  const piece = lastBelow(starts, input);
  if (piece < 0) return roots[0] ?? 0;
  if (piece === starts.length - 1) return 0;
  return (roots[piece] ?? 0) / (1 + (bends[piece] ?? 0) * (input - (starts[piece] ?? 0)));
}

/** Returns how much goes in until the marginal price has fallen to `root` squared. */
export function inputDownTo({ starts, roots, bends }: PathCurve, root: number): number {
  const piece = lastAbove(roots, root);
  if (piece < 0) return 0;
  const length = ((roots[piece] ?? 0) / root - 1) / (bends[piece] ?? 0);
  return Math.min((starts[piece] ?? 0) + length, starts[piece + 1] ?? 0);
}

/** Returns how much more goes in as `1 / root` rises; 0 between two pieces. */
export function growthAt({ starts, roots, bends }: PathCurve, root: number): number {
  const piece = lastAbove(roots, root);
  if (piece < 0) return 0;
  const length = ((roots[piece] ?? 0) / root - 1) / (bends[piece] ?? 0);
  const isWithin = (starts[piece] ?? 0) + length < (starts[piece + 1] ?? 0);
  return isWithin ? (roots[piece] ?? 0) / (bends[piece] ?? 0) : 0;
}

/** The last entry below `value`, of ascending ones; -1 if none is. */
function lastBelow(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The last entry above `value`, of descending ones; -1 if none is. */
function lastAbove(descending: Float64Array, value: number): number {
  let low = 0;
  let high = descending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((descending[middle] ?? 0) > value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function along({ roots, bends }: PathCurve, piece: number, input: number): number {
  return ((roots[piece] ?? 0) ** 2 * input) / (1 + (bends[piece] ?? 0) * input);
}

/** A piece that does not know its place. */
type Loose = {
  readonly length: number;
  readonly price: number;
  readonly bend: number;
};

function pieceOfSegment({ logPrice, depthIn, span }: Segment): Loose {
  return { length: depthIn * Math.expm1(span), price: Math.exp(logPrice), bend: 1 / depthIn };
}

function throughLoose({ price, bend }: Loose, input: number): number {
  return (price * input) / (1 + bend * input);
}

/** What is left of a piece once `input` has gone in. */
function rest({ length, price, bend }: Loose, input: number): Loose {
  const slope = 1 + bend * input;
  return { length: length - input, price: price / slope ** 2, bend: bend / slope };
}

function compose(first: readonly Loose[], second: readonly Loose[]): Loose[] {
  const pieces: Loose[] = [];
  const [before, after] = [[...first].reverse(), [...second].reverse()];
  let a = before.pop();
  let b = after.pop();
  while (a !== undefined && b !== undefined) {
    const headroom = a.price - a.bend * b.length;
    const untilNextB = headroom > 0 ? b.length / headroom : Number.POSITIVE_INFINITY;
    const length = Math.min(a.length, untilNextB);
    pieces.push({ length, price: a.price * b.price, bend: a.bend + b.bend * a.price });
    const isEndOfB = untilNextB <= a.length;
    const passed = throughLoose(a, length);
    a = untilNextB < a.length ? rest(a, length) : before.pop();
    b = isEndOfB ? after.pop() : rest(b, passed);
  }
  return pieces;
}

function placed(pieces: readonly Loose[]): PathCurve {
  const starts = new Float64Array(pieces.length + 1);
  const outputs = new Float64Array(pieces.length + 1);
  for (const [index, piece] of pieces.entries()) {
    starts[index + 1] = (starts[index] ?? 0) + piece.length;
    outputs[index + 1] = (outputs[index] ?? 0) + throughLoose(piece, piece.length);
  }
  return {
    starts,
    outputs,
    roots: Float64Array.from(pieces, ({ price }) => Math.sqrt(price)),
    bends: Float64Array.from(pieces, ({ bend }) => bend),
  };
}
