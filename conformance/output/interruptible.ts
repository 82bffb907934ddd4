import { setMaxListeners } from 'node:events';

/** Exit codes of a process that a signal ends: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type EndingSignal = keyof typeof EXIT_CODES;
const ENDING_SIGNALS = Object.keys(EXIT_CODES) as EndingSignal[];

/**
 * Runs interruptible work and resolves to its result. The first SIGINT, SIGTERM or SIGHUP (sent if
 * the terminal closes) aborts the `AbortSignal` passed to the work. The work can then still write
 * its reports. The second one ends the process with 130, 143 or 129. After `maxTimeMs`, the
 * `AbortSignal` also aborts, with a {@link TimeSpentError} as the reason.
 */
export async function interruptible<T>(
  run: (signal: AbortSignal) => Promise<T>,
  maxTimeMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  const controller = new AbortController();
  let wasSignaled = false;
  const timer = setTimeout(
    () => controller.abort(new TimeSpentError(maxTimeMs)),
    Math.min(maxTimeMs, MAX_TIMER_MS),
  );
  // Each request in flight adds a listener. Without this line, Node.js would warn about so many
  // listeners.
  setMaxListeners(0, controller.signal);
  const onSignal = (name: EndingSignal): void => {
    if (wasSignaled) process.exit(EXIT_CODES[name]);
    wasSignaled = true;
    controller.abort();
  };
  for (const name of ENDING_SIGNALS) process.on(name, onSignal);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const name of ENDING_SIGNALS) process.off(name, onSignal);
  }
}

/**
 * Makes a child process ignore signals and end with its parent. A terminal, `timeout` or a
 * supervisor signals the whole process group, and only the parent decides how to react.
 */
export function endWithParent(): void {
  for (const name of ENDING_SIGNALS) process.on(name, () => {});
  process.on('disconnect', () => process.exit(0));
}

/** Reason for an abort after `--max-time`. */
export class TimeSpentError extends Error {
  override readonly name = 'TimeSpentError';

  constructor(maxTimeMs: number) {
    super(`the budget of ${maxTimeMs / 1000} s is spent`);
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;
