import type { Segment } from './curve.ts';
import type { Path } from './path.ts';

/**
 * A stretch of a path along which output is `price * x / (1 + bend * x)`, `x`
 * counted from `start`. Curves of this form are closed under composition, so a
 * path has as many pieces as its pools have ends of ranges.
 */
type Piece = {
  readonly start: number;
  readonly length: number;
  readonly outputBefore: number;
  /** Output per input at the start. */
  readonly price: number;
  readonly bend: number;
};

/** What a path gives for what it takes, as floats in base units; concave. */
export type PathCurve = {
  readonly pieces: readonly Piece[];
  readonly capacity: number;
};

const curves = new WeakMap<Path, PathCurve>();

/** Returns the curve of `path`, made once. */
export function curveOf(path: Path): PathCurve {
  let curve = curves.get(path);
  if (curve === undefined) {
    const pieces = path.hops.map((hop) => hop.segments.map(pieceOfSegment)).reduce(compose);
    curve = placed(pieces);
    curves.set(path, curve);
  }
  return curve;
}

/** Returns what `input` gives; beyond the capacity, what the capacity gives. */
export function outputOf({ pieces }: PathCurve, input: number): number {
  let output = 0;
  for (const piece of pieces) {
    if (piece.start >= input) break;
    output = piece.outputBefore + along(piece, Math.min(piece.length, input - piece.start));
  }
  return output;
}

/** Returns how much goes in until the marginal price has fallen to `price`. */
export function inputDownTo({ pieces }: PathCurve, price: number): number {
  let input = 0;
  for (const piece of pieces) {
    if (piece.price <= price) break;
    const length = (Math.sqrt(piece.price / price) - 1) / piece.bend;
    input = piece.start + Math.min(piece.length, length);
  }
  return input;
}

/** Returns the curve's end of input shared among `curves` at one marginal price, so that the sum is `input`. */
export function waterfill(
  curves: readonly PathCurve[],
  input: number,
): { readonly inputs: readonly number[]; readonly price: number } {
  const capacity = curves.reduce((sum, curve) => sum + curve.capacity, 0);
  if (capacity <= input) return { inputs: curves.map((curve) => curve.capacity), price: 0 };
  let high = Math.log(Math.max(...curves.map(({ pieces }) => pieces[0]?.price ?? 0)));
  let low = high - 1;
  const sumAt = (logPrice: number) =>
    curves.reduce((sum, curve) => sum + inputDownTo(curve, Math.exp(logPrice)), 0);
  for (let step = 2; sumAt(low) < input && step < 2 ** 12; step *= 2) low -= step;
  for (let halving = 0; halving < 60 && high - low > 1e-15 * Math.abs(high); halving++) {
    const middle = (low + high) / 2;
    if (sumAt(middle) < input) high = middle;
    else low = middle;
  }
  const price = Math.exp(low);
  return { inputs: curves.map((curve) => inputDownTo(curve, price)), price };
}

type Loose = Pick<Piece, 'length' | 'price' | 'bend'>;

function pieceOfSegment({ logPrice, depthIn, span }: Segment): Loose {
  return { length: depthIn * Math.expm1(span), price: Math.exp(logPrice), bend: 1 / depthIn };
}

function along({ price, bend }: Loose, input: number): number {
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
    const passed = along(a, length);
    a = untilNextB < a.length ? rest(a, length) : before.pop();
    b = isEndOfB ? after.pop() : rest(b, passed);
  }
  return pieces;
}

function placed(pieces: readonly Loose[]): PathCurve {
  let start = 0;
  let outputBefore = 0;
  const list = pieces.map((piece) => {
    const whole = { ...piece, start, outputBefore };
    start += piece.length;
    outputBefore += along(piece, piece.length);
    return whole;
  });
  return { pieces: list, capacity: start };
}
