/**
 * Solves `matrix * x = vector` in place: `vector` becomes `x`, `matrix` its
 * Cholesky factor. `matrix` is symmetric and positive definite, `size` rows of
 * `size` numbers; a pivot that rounding made non-positive counts as infinite, so
 * that its unknown becomes 0.
 */
export function solvePositiveDefinite(
  matrix: Float64Array,
  size: number,
  vector: Float64Array,
): void {
  const at = (row: number, column: number) => matrix[row * size + column] ?? 0;
  for (let column = 0; column < size; column++) {
    let pivot = at(column, column);
    for (let k = 0; k < column; k++) pivot -= at(column, k) ** 2;
    const root = pivot > 0 ? Math.sqrt(pivot) : Number.POSITIVE_INFINITY;
    matrix[column * size + column] = root;
    for (let row = column + 1; row < size; row++) {
      let entry = at(row, column);
      for (let k = 0; k < column; k++) entry -= at(row, k) * at(column, k);
      matrix[row * size + column] = entry / root;
    }
  }
  for (let row = 0; row < size; row++) {
    let entry = vector[row] ?? 0;
    for (let k = 0; k < row; k++) entry -= at(row, k) * (vector[k] ?? 0);
    vector[row] = entry / at(row, row);
  }
  for (let row = size - 1; row >= 0; row--) {
    let entry = vector[row] ?? 0;
    for (let k = row + 1; k < size; k++) entry -= at(k, row) * (vector[k] ?? 0);
    vector[row] = entry / at(row, row);
  }
}
