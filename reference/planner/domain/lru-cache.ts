/** A map of bounded size: the entry that was not read for longest makes room for a new one. */
export class LruCache<Value> {
  readonly #capacity: number;
  /** In order of last use: a Map iterates in insertion order. */
  readonly #entries = new Map<string, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the value of `key`; makes and stores it if there is none. */
  getOrMake(key: string, make: () => Value): Value {
    const known = this.#entries.get(key);
    const value = known ?? make();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    return value;
  }
}
