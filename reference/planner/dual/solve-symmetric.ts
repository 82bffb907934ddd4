import { at } from '../domain/at.ts';

/**
 * Solves `matrix * x = vector` by LDL' factorization, in place: `vector` becomes `x`, and `matrix`
 * is overwritten. `matrix` is the lower half, row by row, of a symmetric positive definite matrix.
 * If rounding makes a pivot zero or negative, the pivot is treated as infinite, which sets its
 * unknown to 0.
 */
export function solveSymmetric(matrix: Float64Array, vector: Float64Array): void {
  const size = vector.length;
  for (let column = 0; column < size; column++) {
    const pivot = at(matrix, column * size + column);
    if (!(pivot > 0)) matrix[column * size + column] = Number.POSITIVE_INFINITY;
    for (let row = column + 1; row < size; row++) {
      const start = row * size;
      const entry = at(matrix, start + column);
      if (entry === 0) continue;
      const part = pivot > 0 ? entry / pivot : 0;
      vector[row] = at(vector, row) - part * at(vector, column);
      for (let other = column + 1; other <= row; other++) {
        const reduced = at(matrix, start + other) - part * at(matrix, other * size + column);
        matrix[start + other] = reduced;
      }
    }
  }
  for (let column = size - 1; column >= 0; column--) {
    let known = at(vector, column);
    for (let row = column + 1; row < size; row++) {
      known -= at(matrix, row * size + column) * at(vector, row);
    }
    vector[column] = known / (matrix[column * size + column] ?? 1);
  }
}
