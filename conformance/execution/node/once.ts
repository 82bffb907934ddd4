/** Results of work by key, also while the work is in flight. */
export type Results = Map<string, Promise<unknown>>;

/** Returns the result of work, which runs only once for each key unless it fails. */
export function once<Result>(
  results: Results,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const known = (results.get(key) as Promise<Result> | undefined) ?? work();
  results.set(key, known);
  known.catch(() => results.delete(key));
  return known;
}
