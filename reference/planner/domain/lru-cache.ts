/**
 * A map of bounded size. If the map is full, a new entry replaces the least recently used entry.
 */
export class LruCache<Value> {
  readonly #capacity: number;
  readonly #entries = new Map<string, Value>();

  /** @param capacity - Maximum number of entries; 0 stores none. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  /** Returns the value of `key`. If the key is unknown, makes the value and stores it. */
  getOrMake(key: string, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }
}
