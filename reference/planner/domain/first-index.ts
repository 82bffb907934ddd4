/**
 * Returns the first index below `length` for which `reached` is true; `length` if there is none.
 * `reached` must be true for all later indices too.
 */
export function firstIndex(length: number, reached: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
