import { canRedraw, type TerminalVariables } from './terminal.ts';

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

/** The stream of a status line, usually standard error. */
export type StatusStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/**
 * Returns a status line. On a terminal, the line is redrawn at most ten times a second. Elsewhere,
 * it is printed at most every five seconds.
 *
 * @param now - Clock in milliseconds.
 * @param variables - Environment variables that describe the terminal.
 */
export async function createStatusLine(
  stream: StatusStream,
  now: () => number,
  variables: TerminalVariables,
) {
  // Loaded only for terminals that can redraw lines.
  const { createLogUpdate } = canRedraw(stream, variables) ? await import('log-update') : {};
  const line = createLogUpdate?.(stream, { showCursor: true });
  const everyMs = line ? REDRAW_MS : PLAIN_LINE_MS;
  const shownAt = new Map<unknown, number>();
  let latest = '';
  return {
    isDrawn: line !== undefined,
    /** Shows a text, unless another text on the same topic was just shown. */
    show: (text: string, topic?: unknown): void => {
      latest = text;
      if (now() - (shownAt.get(topic) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
      shownAt.set(topic, now());
      if (line) line(text);
      else stream.write(`${text}\n`);
    },
    /** Removes the line from the screen. */
    clear: (): void => {
      line?.clear();
      line?.done();
    },
    /** Leaves the latest text on the screen. */
    leave: (): void => {
      line?.(latest);
      line?.done();
    },
  };
}
