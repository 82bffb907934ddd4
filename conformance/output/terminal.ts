import { styleText } from 'node:util';
import { printableLines } from './printable.ts';

type MaybeTerminal = { readonly isTTY?: boolean };

/** The environment variables that describe the terminal and its user's preferences. */
export type TerminalVariables = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether text to a stream may be colored: on a terminal that supports color, unless
 * NO_COLOR is set. As in Node, FORCE_COLOR overrides both. `0` and `false` turn color off, and any
 * other value turns color on.
 */
export function wantsColor(stream: MaybeTerminal, variables: TerminalVariables): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: unwanted = '' } = variables;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return canRedraw(stream, variables) && unwanted === '';
}

/** Returns whether a stream can redraw lines: on a terminal, unless TERM is `dumb`. */
export function canRedraw(stream: MaybeTerminal, variables: TerminalVariables): boolean {
  return stream.isTTY === true && variables['TERM'] !== 'dumb';
}

/**
 * Writes text as lines to standard error, since standard output is for reports. Control characters
 * are escaped, so that no text from a service, node or file controls the terminal.
 */
export function notify(text: string, stream: NodeJS.WritableStream = process.stderr): void {
  stream.write(`${printableLines(text, MAX_MESSAGE_CHARACTERS)}\n`);
}

const MAX_MESSAGE_CHARACTERS = 20_000;

const STYLES = ['bold', 'dim', 'green', 'red', 'yellow', 'cyan'] as const;
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/** Returns functions that color text, or return it unchanged. */
export function createPaint(color: boolean): Paint {
  // `wantsColor` has already checked the terminal.
  const paint = (style: (typeof STYLES)[number]) => (text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  return Object.fromEntries(STYLES.map((style) => [style, paint(style)])) as Paint;
}
