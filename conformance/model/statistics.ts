/** Returns the sum of values. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Returns the mean of values; NaN if there are none. */
export function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

/** Returns the median of values; 0 if there are none. */
export function medianOf(values: readonly number[]): number {
  return quantileOf(values.toSorted(ascending), 0.5);
}

/**
 * Returns a quantile of ascending values, interpolated between neighbors.
 *
 * @see Hyndman and Fan, "Sample quantiles in statistical packages" (1996), definition 7
 */
export function quantileOf(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const [low = 0, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/** Compares two numbers, to sort the smaller first. */
export function ascending(a: number, b: number): number {
  return a - b;
}

/**
 * Returns the mean of differences and its confidence interval. For fewer than two differences, the
 * interval is unbounded.
 */
export function studentInterval(differences: readonly number[], confidence: number) {
  const mean = meanOf(differences);
  const freedom = differences.length - 1;
  if (freedom < 1) return { mean, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const variance = sumOf(differences.map((each) => (each - mean) ** 2)) / freedom;
  const reach = studentQuantile(confidence, freedom) * Math.sqrt(variance / differences.length);
  return { mean, low: mean - reach, high: mean + reach };
}

/**
 * Returns the bound below which the absolute value of Student's t stays with probability
 * `confidence`.
 *
 * @example studentQuantile(0.95, 5) // 2.5706
 */
export function studentQuantile(confidence: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (withinProbability(high, freedom) < confidence) high *= 2;
  for (let halvings = 0; halvings < 60; halvings++) {
    const middle = (low + high) / 2;
    if (withinProbability(middle, freedom) < confidence) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * Returns the probability that |T| < t. Uses the series of Abramowitz and Stegun (1964), 26.7.3 and
 * 26.7.4, which are finite for whole degrees of freedom.
 */
function withinProbability(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power <= freedom - 2; power += 2) {
    term *= (cosine ** 2 * (power - 1)) / power;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}

/**
 * Returns a random number with a beta distribution: the a-th smallest of a + b - 1 uniform numbers.
 */
export function drawBeta(a: number, b: number, uniform: () => number): number {
  const x = drawGamma(a, uniform);
  return x / (x + drawGamma(b, uniform));
}

// Uses the method of Marsaglia and Tsang, "A simple method for generating gamma variables" (2000),
// for shapes of at least 1.
function drawGamma(shape: number, uniform: () => number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const v = (1 + c * normal) ** 3;
    if (v <= 0) continue;
    if (Math.log(uniform()) < 0.5 * normal ** 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
