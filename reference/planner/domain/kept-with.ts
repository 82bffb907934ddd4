/**
 * Returns `make` so that it runs once for an owner: what it made is kept as long
 * as the owner is.
 *
 * @example
 * const sizeOf = keptWith((tokens: readonly Token[]) => new Set(tokens).size);
 */
export function keptWith<Owner extends object, Value>(
  make: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const known = new WeakMap<Owner, Value>();
  return (owner) => {
    const kept = known.get(owner);
    if (kept !== undefined || known.has(owner)) return kept as Value;
    const value = make(owner);
    known.set(owner, value);
    return value;
  };
}
