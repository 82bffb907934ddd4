import { styleText } from 'node:util';

/** A stream that may end at a terminal. */
type MaybeTerminal = { readonly isTTY?: boolean };

/** The environment variables that say what a terminal can do and its reader wants. */
export type TerminalVariables = Readonly<Record<string, string | undefined>>;

/** Returns whether text to a stream may be coloured: on a terminal that can, unless NO_COLOR is set to anything. */
export function wantsColour(stream: MaybeTerminal, variables: TerminalVariables): boolean {
  return canRedraw(stream, variables) && (variables['NO_COLOR'] ?? '') === '';
}

/** Returns whether lines can be drawn over: on a terminal that knows more than to print. */
export function canRedraw(stream: MaybeTerminal, variables: TerminalVariables): boolean {
  return stream.isTTY === true && variables['TERM'] !== 'dumb';
}

/** The colours that text reports use. */
const STYLES = ['bold', 'dim', 'green', 'red', 'yellow', 'cyan'] as const;
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/** Returns colours that colour, or colours that leave text alone. */
export function createPaint(colour: boolean): Paint {
  // Whether the terminal can was asked by `wantsColour`.
  const paint = (style: (typeof STYLES)[number]) => (text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  return Object.fromEntries(STYLES.map((style) => [style, paint(style)])) as Paint;
}
