import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Frees all memory that nothing holds any more, so that a test can tell what is held. */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  return typeof collector === 'function' ? () => void collector() : () => undefined;
}
