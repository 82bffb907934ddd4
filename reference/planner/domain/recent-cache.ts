/** A bounded map that forgets what was not asked for longest. */
export type RecentCache<Value> = {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
};

/** Returns an empty cache of at most `capacity` entries; 0 keeps none. */
export function createRecentCache<Value>(capacity: number): RecentCache<Value> {
  // A Map iterates in the order of insertion: the first key is the oldest.
  const entries = new Map<string, Value>();
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= capacity) return;
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    },
  };
}
