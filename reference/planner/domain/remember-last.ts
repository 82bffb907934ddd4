/**
 * Returns `make` so that a call with the very arguments of the last one is
 * answered as that was.
 *
 * @example
 * const rootOf = rememberLast(Math.sqrt);
 */
export function rememberLast<Args extends readonly unknown[], Value>(
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
