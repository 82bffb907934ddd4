import { styleText } from 'node:util';

/** A stream that may end at a terminal. */
type MaybeTerminal = { readonly isTTY?: boolean };

/** The environment variables that describe the terminal and its user's preferences. */
export type TerminalVariables = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether text to a stream may be coloured: on a terminal that supports it, unless NO_COLOR
 * is set.
 */
export function wantsColour(stream: MaybeTerminal, variables: TerminalVariables): boolean {
  return canRedraw(stream, variables) && (variables['NO_COLOR'] ?? '') === '';
}

/** Returns whether lines can be redrawn: on a terminal, unless TERM is `dumb`. */
export function canRedraw(stream: MaybeTerminal, variables: TerminalVariables): boolean {
  return stream.isTTY === true && variables['TERM'] !== 'dumb';
}

/** The colours that text reports use. */
const STYLES = ['bold', 'dim', 'green', 'red', 'yellow', 'cyan'] as const;
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/** Returns functions that colour text, or return it unchanged. */
export function createPaint(colour: boolean): Paint {
  // `wantsColour` has already checked the terminal.
  const paint = (style: (typeof STYLES)[number]) => (text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  return Object.fromEntries(STYLES.map((style) => [style, paint(style)])) as Paint;
}
