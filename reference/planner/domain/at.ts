/** Returns the number at an index that the array has. The type checker would add `undefined` to it. */
export function at(values: Float64Array | Int32Array, index: number): number {
  return values[index] as number;
}
