import { setMaxListeners } from 'node:events';

/** A process that a signal ends exits with 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type EndingSignal = keyof typeof EXIT_CODES;
const ENDING_SIGNALS = Object.keys(EXIT_CODES) as EndingSignal[];

/**
 * Runs interruptible work and resolves to its result. The first SIGINT, SIGTERM or SIGHUP (sent if
 * the terminal closes) aborts the signal passed to the work, which can still write its reports. The
 * second ends the process with 130, 143 or 129. The work is also aborted after `maxTimeMs`, with a
 * {@link TimeSpentError} as the reason.
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
  // Every request in flight adds a listener, and there are many.
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
 * Makes a child process end only with its parent. A terminal, `timeout` or a supervisor signals the
 * whole group, and the parent decides how to react.
 */
export function endWithParent(): void {
  for (const name of ENDING_SIGNALS) process.on(name, () => {});
  process.on('disconnect', () => process.exit(0));
}

/** The reason of an abort by `--max-time`. */
export class TimeSpentError extends Error {
  override readonly name = 'TimeSpentError';

  constructor(maxTimeMs: number) {
    super(`the budget of ${maxTimeMs / 1000} s is spent`);
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;
