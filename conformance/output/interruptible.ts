import { setMaxListeners } from 'node:events';

/** Exit codes of a process that a signal ends: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type EndingSignal = keyof typeof EXIT_CODES;
const ENDING_SIGNALS = Object.keys(EXIT_CODES) as EndingSignal[];

/**
 * Runs what can end early, and resolves to its result. While it runs, the first
 * SIGINT, SIGTERM or SIGHUP (of a terminal that was closed) aborts the signal
 * that it is given, so that it can still write its reports; the second ends the
 * process, with 130, 143 or 129. The end of `maxTimeMs` aborts it too, with a
 * {@link TimeSpentError} as the reason.
 */
export async function interruptible<T>(
  run: (signal: AbortSignal) => Promise<T>,
  maxTimeMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  const controller = new AbortController();
  let wasSignalled = false;
  const timer = setTimeout(
    () => controller.abort(new TimeSpentError(maxTimeMs)),
    Math.min(maxTimeMs, LONGEST_TIMER_MS),
  );
  // Many requests are in the air at once, and each of them listens.
  setMaxListeners(0, controller.signal);
  const onSignal = (name: EndingSignal): void => {
    if (wasSignalled) process.exit(EXIT_CODES[name]);
    wasSignalled = true;
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
 * Makes a child process end with its parent alone: a terminal, `timeout` or a
 * supervisor signals the whole group, and the parent decides what that means.
 */
export function endWithParent(): void {
  for (const name of ENDING_SIGNALS) process.on(name, () => {});
  process.on('disconnect', () => process.exit(0));
}

/** The reason of an end that `--max-time` brings. */
export class TimeSpentError extends Error {
  override readonly name = 'TimeSpentError';

  constructor(maxTimeMs: number) {
    super(`the budget of ${maxTimeMs / 1000} s is spent`);
  }
}

/** 24 days: the most that a timer can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
