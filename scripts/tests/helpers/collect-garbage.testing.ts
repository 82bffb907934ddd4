import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Frees all unreachable memory, so that a test can check what is still reachable. */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  return typeof collector === 'function' ? () => void collector() : () => undefined;
}
