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
 * Returns Wilson's score interval for a share, which is valid near 0 and 1 and for few trials. `z`
 * is the quantile of the normal distribution for the confidence, such as 1.96 for 95%. Without
 * trials, the share may be anything.
 *
 * @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927)
 * @example wilsonInterval(1, 20, 1.96) // { low: 0.0089, high: 0.2361 }
 */
export function wilsonInterval(hits: number, count: number, z: number) {
  if (count === 0) return { low: 0, high: 1 };
  const share = hits / count;
  const weight = 1 + z ** 2 / count;
  const middle = (share + z ** 2 / (2 * count)) / weight;
  const reach = (z / weight) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
