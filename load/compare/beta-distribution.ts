/**
 * Returns one draw from the beta distribution: what the a-th of a + b - 1
 * uniform numbers is, in ascending order.
 */
export function drawBeta(a: number, b: number, uniform: () => number): number {
  const x = drawGamma(a, uniform);
  return x / (x + drawGamma(b, uniform));
}

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for shapes of 1 or more.
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
