/** An order in which to eliminate the unknowns of a symmetric system, and where each step leaves entries. */
export type Elimination = {
  /** The unknowns, the first to be eliminated first. */
  readonly order: readonly number[];
  /** Places of the entries below the diagonal: those of column `i` are `rows[starts[i]]` up to `rows[starts[i + 1]]`, ascending. */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
};

/** Returns the order that eliminates an unknown with the fewest neighbours left, which keeps most entries at 0. */
export function eliminationOf(neighbours: readonly ReadonlySet<number>[]): Elimination {
  const left = neighbours.map((known) => new Set(known));
  const order: number[] = [];
  const place = new Int32Array(left.length);
  const columns: (readonly number[])[] = [];
  const waiting = new Set(left.keys());
  while (waiting.size > 0) {
    let least = -1;
    for (const one of waiting) {
      if (least < 0 || (left[one]?.size ?? 0) < (left[least]?.size ?? 0)) least = one;
    }
    waiting.delete(least);
    place[least] = order.length;
    order.push(least);
    const around = [...(left[least] ?? [])];
    columns.push(around);
    for (const one of around) {
      const known = left[one];
      known?.delete(least);
      for (const other of around) if (other !== one) known?.add(other);
    }
  }
  const placed = columns.map((around) =>
    around.map((one) => place[one] ?? 0).sort((a, b) => a - b),
  );
  return eliminationOfColumns(order, placed);
}

/** Returns the elimination of some of the unknowns alone, ascending; they are numbered anew. */
export function eliminationAmong(
  { starts, rows }: Elimination,
  kept: readonly number[],
): Elimination {
  const numberOf = new Map(kept.map((unknown, number) => [unknown, number]));
  const columns = kept.map((unknown) =>
    [...rows.subarray(starts[unknown], starts[unknown + 1])].flatMap(
      (row) => numberOf.get(row) ?? [],
    ),
  );
  return eliminationOfColumns([...kept.keys()], columns);
}

function eliminationOfColumns(
  order: readonly number[],
  columns: readonly (readonly number[])[],
): Elimination {
  const starts = new Int32Array(columns.length + 1);
  for (const [column, { length }] of columns.entries()) {
    starts[column + 1] = (starts[column] ?? 0) + length;
  }
  return { order, starts, rows: Int32Array.from(columns.flat()) };
}

/**
 * Solves `matrix * x = vector` in place: `vector` becomes `x`, `matrix` is spent.
 * `matrix` is symmetric and positive definite, its lower half row by row, zero
 * wherever the elimination leaves no entry; a pivot that rounding made
 * non-positive counts as infinite, so that its unknown becomes 0.
 */
export function eliminate(
  { starts, rows }: Elimination,
  matrix: Float64Array,
  vector: Float64Array,
): void {
  const size = vector.length;
  for (let column = 0; column < size; column++) {
    const pivot = matrix[column * size + column] ?? 0;
    if (!(pivot > 0)) matrix[column * size + column] = Number.POSITIVE_INFINITY;
    const begin = starts[column] ?? 0;
    const end = starts[column + 1] ?? 0;
    for (let at = begin; at < end; at++) {
      const row = (rows[at] ?? 0) * size;
      const entry = matrix[row + column] ?? 0;
      if (entry === 0) continue;
      const part = pivot > 0 ? entry / pivot : 0;
      vector[rows[at] ?? 0] = (vector[rows[at] ?? 0] ?? 0) - part * (vector[column] ?? 0);
      for (let other = begin; other <= at; other++) {
        const to = rows[other] ?? 0;
        matrix[row + to] = (matrix[row + to] ?? 0) - part * (matrix[to * size + column] ?? 0);
      }
    }
  }
  for (let column = size - 1; column >= 0; column--) {
    let known = vector[column] ?? 0;
    const end = starts[column + 1] ?? 0;
    for (let at = starts[column] ?? 0; at < end; at++) {
      const row = rows[at] ?? 0;
      known -= (matrix[row * size + column] ?? 0) * (vector[row] ?? 0);
    }
    vector[column] = known / (matrix[column * size + column] ?? 1);
  }
}
