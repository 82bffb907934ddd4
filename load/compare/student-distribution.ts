/** Returns the mean of differences and its confidence interval; unbounded for fewer than two. */
export function studentInterval(differences: readonly number[], confidence: number) {
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const freedom = differences.length - 1;
  if (freedom < 1) return { mean, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / freedom;
  const reach = studentQuantile(confidence, freedom) * Math.sqrt(variance / differences.length);
  return { mean, low: mean - reach, high: mean + reach };
}

/**
 * Returns the value that Student's t of the given degrees of freedom stays within,
 * on both sides, with the probability `confidence`.
 *
 * @example
 * studentQuantile(0.95, 5) // 2.5706
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

/** The probability that |T| < t. Abramowitz and Stegun (1964), 26.7.3 and 26.7.4: finite for whole degrees of freedom. */
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
