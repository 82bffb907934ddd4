/** Whoever is waited for when a study is ended has so long to answer. */
const MAX_GOODBYE_MS = 500;

/**
 * Returns the result of the work. Once the signal aborts, work that waits for a
 * node of others is not waited for much longer.
 *
 * @throws the reason of the abort if the work was abandoned
 */
export function unlessEnded<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let patience: NodeJS.Timeout | undefined;
    const leave = () => {
      patience = setTimeout(() => reject(signal.reason), MAX_GOODBYE_MS);
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    const settle = () => {
      clearTimeout(patience);
      signal.removeEventListener('abort', leave);
    };
    work.finally(settle).then(resolve, reject);
  });
}
