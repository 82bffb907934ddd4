import { divUp as divideUp } from './full-math.ts';

/**
 * Unsigned numbers with 18 decimals, rounded like Balancer's `FixedPoint`.
 *
 * @see https://github.com/balancer/balancer-v2-monorepo/blob/master/pkg/solidity-utils/contracts/math/FixedPoint.sol
 */
export const ONE = 10n ** 18n;

export function mulDown(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

export function mulUp(a: bigint, b: bigint): bigint {
  return divideUp(a * b, ONE);
}

export function divDown(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

export function divUp(a: bigint, b: bigint): bigint {
  return divideUp(a * ONE, b);
}

/** Fraction, with 18 decimals, by which `powUp` raises its result. */
const MAX_POW_RELATIVE_ERROR = 10_000n;

/** Returns an upper bound on `base ** exponent`. */
export function powUp(base: bigint, exponent: bigint): bigint {
  const raw = pow(base, exponent);
  return raw + mulUp(raw, MAX_POW_RELATIVE_ERROR) + 1n;
}

const ONE_20 = 10n ** 20n;
const ONE_36 = 10n ** 36n;

/** Powers of two, each with its natural exponential. Both have no decimals. */
const WHOLE_POWERS: readonly (readonly [bigint, bigint])[] = [
  [128n, 38877084059945950922200000000000000000000000000000000000n],
  [64n, 6235149080811616882910000000n],
];

/** Powers of two, each with its natural exponential. Both have 20 decimals. */
const POWERS: readonly (readonly [bigint, bigint])[] = [
  [3200000000000000000000n, 7896296018268069516100000000000000n],
  [1600000000000000000000n, 888611052050787263676000000n],
  [800000000000000000000n, 298095798704172827474000n],
  [400000000000000000000n, 5459815003314423907810n],
  [200000000000000000000n, 738905609893065022723n],
  [100000000000000000000n, 271828182845904523536n],
  [50000000000000000000n, 164872127070012814685n],
  [25000000000000000000n, 128402541668774148407n],
  [12500000000000000000n, 113314845306682631683n],
  [6250000000000000000n, 106449445891785942956n],
];

/** Number of {@link POWERS} by which `exp` divides its argument before it sums the series. */
const EXP_POWERS = 8;
const EXP_TERMS = 12n;

/**
 * Returns a power with about 18 correct digits. Each step is rounded as in Balancer's `LogExpMath`,
 * which also divides whole numbers toward zero.
 * @see https://github.com/balancer/balancer-v2-monorepo/blob/master/pkg/solidity-utils/contracts/math/LogExpMath.sol
 */
function pow(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return ONE;
  if (base === 0n) return 0n;
  if (base > ONE - ONE / 10n && base < ONE + ONE / 10n) {
    const log = logNearOne(base);
    return exp(((log / ONE) * exponent + ((log % ONE) * exponent) / ONE) / ONE);
  }
  return exp((log(base) * exponent) / ONE);
}

function exp(power: bigint): bigint {
  if (power < 0n) return (ONE * ONE) / exp(-power);
  let rest = power;
  let whole = 1n;
  for (const [x, a] of WHOLE_POWERS) {
    if (whole > 1n || rest < x * ONE) continue;
    rest -= x * ONE;
    whole = a;
  }
  rest *= 100n;
  let product = ONE_20;
  for (const [x, a] of POWERS.slice(0, EXP_POWERS)) {
    if (rest < x) continue;
    rest -= x;
    product = (product * a) / ONE_20;
  }
  let sum = ONE_20 + rest;
  let term = rest;
  for (let n = 2n; n <= EXP_TERMS; n++) {
    term = (term * rest) / ONE_20 / n;
    sum += term;
  }
  return (((product * sum) / ONE_20) * whole) / 100n;
}

function log(value: bigint): bigint {
  if (value < ONE) return -log((ONE * ONE) / value);
  let rest = value;
  let sum = 0n;
  for (const [x, a] of WHOLE_POWERS) {
    if (rest < a * ONE) continue;
    rest /= a;
    sum += x * ONE;
  }
  sum *= 100n;
  rest *= 100n;
  for (const [x, a] of POWERS) {
    if (rest < a) continue;
    rest = (rest * ONE_20) / a;
    sum += x;
  }
  return (sum + logSeries(rest, ONE_20, 11n)) / 100n;
}

function logNearOne(value: bigint): bigint {
  return logSeries(value * ONE, ONE_36, 15n);
}

/** Sums the series of the inverse hyperbolic tangent up to the odd term `last`. */
function logSeries(value: bigint, one: bigint, last: bigint): bigint {
  const z = ((value - one) * one) / (value + one);
  const square = (z * z) / one;
  let term = z;
  let sum = z;
  for (let n = 3n; n <= last; n += 2n) {
    term = (term * square) / one;
    sum += term / n;
  }
  return 2n * sum;
}
