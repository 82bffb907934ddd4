/**
 * Returns the number at a valid index. A plain index expression would have `undefined` in its type.
 */
export function at(values: Float64Array | Int32Array, index: number): number {
  return values[index] as number;
}
