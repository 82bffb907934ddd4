import { canRedraw, type TerminalVariables } from './terminal.ts';

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

/** Where it is told how far something is: usually standard error. */
export type StatusStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/**
 * Returns a line that tells how far something is: drawn over on a terminal, at
 * most ten times a second; elsewhere written, every five seconds.
 *
 * @param now - Clock in milliseconds.
 * @param variables - What says how able a terminal is: the environment.
 */
export async function createStatusLine(
  stream: StatusStream,
  now: () => number,
  variables: TerminalVariables,
) {
  // What draws over lines is loaded only where it can.
  const { createLogUpdate } = canRedraw(stream, variables) ? await import('log-update') : {};
  const line = createLogUpdate?.(stream, { showCursor: true });
  const everyMs = line ? REDRAW_MS : PLAIN_LINE_MS;
  const shownAt = new Map<unknown, number>();
  let latest = '';
  return {
    isDrawn: line !== undefined,
    /** Shows a text, unless one on the same topic was shown a moment ago. */
    show: (text: string, topic?: unknown): void => {
      latest = text;
      if (now() - (shownAt.get(topic) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
      shownAt.set(topic, now());
      if (line) line(text);
      else stream.write(`${text}\n`);
    },
    /** Takes what is drawn off the screen. */
    clear: (): void => {
      line?.clear();
      line?.done();
    },
    /** Leaves the latest on the screen. */
    leave: (): void => {
      line?.(latest);
      line?.done();
    },
  };
}
