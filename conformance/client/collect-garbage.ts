import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Frees what a large body took before the next one comes. Left to itself the
 * engine lets hundreds of megabytes pile up first, and a service that sends
 * little else would decide how much memory a run takes.
 */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  return typeof collector === 'function' ? () => void collector() : () => undefined;
}
