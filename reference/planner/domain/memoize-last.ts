/**
 * Returns `make` with its last result memoized. A call with the same arguments as the previous call
 * returns the same value.
 * @example
 * const root = memoizeLast(Math.sqrt);
 */
export function memoizeLast<Args extends readonly unknown[], Value>(
  make: (...args: Args) => Value,
): (...args: Args) => Value {
  let last: { readonly args: Args; readonly value: Value } | undefined;
  return (...args) => {
    if (last === undefined || !last.args.every((arg, at) => Object.is(arg, args[at]))) {
      last = { args, value: make(...args) };
    }
    return last.value;
  };
}
