const MAX_WAIT_AFTER_END_MS = 500;

/**
 * Returns the result of the work. After an abort, waits only a short time, since a node may not
 * respond.
 * @throws the reason of the abort if the work was abandoned
 */
export function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const leave = () => {
      timer = setTimeout(() => reject(signal.reason), MAX_WAIT_AFTER_END_MS);
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    };
    work.finally(settle).then(resolve, reject);
  });
}
