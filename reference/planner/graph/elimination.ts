import { at } from '../domain/at.ts';
/**
 * Order in which to eliminate the unknowns of a sparse symmetric system, and the entries that
 * become nonzero at each step.
 */
export type Elimination = {
  /** The unknowns in the order of elimination. */
  readonly order: readonly number[];
  /**
   * Row indices of the nonzero entries below the diagonal, ascending. Those of column `i` are
   * `rows[starts[i]]` up to, but excluding, `rows[starts[i + 1]]`.
   */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
};

/**
 * Returns the minimum-degree elimination: each step eliminates an unknown that has the fewest
 * remaining neighbors. This keeps most entries 0.
 */
export function eliminationOf(neighbors: readonly ReadonlySet<number>[]): Elimination {
  const left = neighbors.map((known) => new Set(known));
  const order: number[] = [];
  const place = new Int32Array(left.length);
  const columns: (readonly number[])[] = [];
  const waiting = new Set(left.keys());
  while (waiting.size > 0) {
    let next = -1;
    for (const one of waiting) {
      if (next < 0 || (left[one]?.size ?? 0) < (left[next]?.size ?? 0)) next = one;
    }
    waiting.delete(next);
    place[next] = order.length;
    order.push(next);
    const around = [...(left[next] ?? [])];
    columns.push(around);
    for (const one of around) {
      const known = left[one];
      known?.delete(next);
      for (const other of around) if (other !== one) known?.add(other);
    }
  }
  const placed = columns.map((around) => around.map((one) => at(place, one)).sort((a, b) => a - b));
  return eliminationOfColumns(order, placed);
}

/**
 * Returns the elimination of a subset of the unknowns, which must be ascending. The result numbers
 * them from 0.
 */
export function eliminationAmong(
  { starts, rows }: Elimination,
  chosen: readonly number[],
): Elimination {
  const numberOf = new Map(chosen.map((unknown, number) => [unknown, number]));
  const columns = chosen.map((unknown) =>
    [...rows.subarray(starts[unknown], starts[unknown + 1])].flatMap(
      (row) => numberOf.get(row) ?? [],
    ),
  );
  return eliminationOfColumns([...chosen.keys()], columns);
}

function eliminationOfColumns(
  order: readonly number[],
  columns: readonly (readonly number[])[],
): Elimination {
  const starts = new Int32Array(columns.length + 1);
  for (const [column, { length }] of columns.entries()) {
    starts[column + 1] = at(starts, column) + length;
  }
  return { order, starts, rows: Int32Array.from(columns.flat()) };
}

/**
 * Solves `matrix * x = vector` by LDL' factorization, in place: `vector` becomes `x`, and `matrix`
 * is overwritten. `matrix` is the lower half, row by row, of a symmetric positive definite matrix.
 * It must be 0 wherever the elimination lists no entry. If rounding makes a pivot zero or negative,
 * the pivot is treated as infinite, which sets its unknown to 0.
 */
export function eliminate(
  { starts, rows }: Elimination,
  matrix: Float64Array,
  vector: Float64Array,
): void {
  const size = vector.length;
  for (let column = 0; column < size; column++) {
    const pivot = at(matrix, column * size + column);
    if (!(pivot > 0)) matrix[column * size + column] = Number.POSITIVE_INFINITY;
    const begin = at(starts, column);
    const end = at(starts, column + 1);
    for (let index = begin; index < end; index++) {
      const row = at(rows, index) * size;
      const entry = at(matrix, row + column);
      if (entry === 0) continue;
      const part = pivot > 0 ? entry / pivot : 0;
      vector[at(rows, index)] = at(vector, at(rows, index)) - part * at(vector, column);
      for (let other = begin; other <= index; other++) {
        const to = at(rows, other);
        matrix[row + to] = at(matrix, row + to) - part * at(matrix, to * size + column);
      }
    }
  }
  for (let column = size - 1; column >= 0; column--) {
    let known = at(vector, column);
    const end = at(starts, column + 1);
    for (let index = at(starts, column); index < end; index++) {
      const row = at(rows, index);
      known -= at(matrix, row * size + column) * at(vector, row);
    }
    vector[column] = known / (matrix[column * size + column] ?? 1);
  }
}
