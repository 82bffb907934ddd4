/** Returns the number at an index within the array. The type checker would add `undefined` to its type. */
export function at(values: Float64Array | Int32Array, index: number): number {
  return values[index] as number;
}
