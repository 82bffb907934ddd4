import { cutText } from '../contract/cut-text.ts';

// Control characters, zero-width and bidirectional controls, line and paragraph separators,
// byte-order marks.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]|\p{Surrogate}/gu;

// Commands to a CI system that reads the log. GitHub and Azure find the first kind anywhere in a
// line, TeamCity and the second kind of GitHub only at its start.
const LOG_COMMAND = /#(?=#(?:\[|vso\[|teamcity\[))|(?<=^\s*):(?=:[a-z])/gi;

/**
 * Returns text from a service as one line that cannot control a terminal, an XML parser or a CI
 * system. Escapes invisible characters and commands in logs, and cuts long text.
 *
 * @param limit - Maximum number of characters, default 2000.
 * @example printable('a\u001b[31mb') // 'a\\u{1b}[31mb'
 * @see https://github.com/actions/runner, `ActionCommand.cs`
 */
export function printable(text: string, limit = 2000): string {
  const cut = text.length > limit ? `${cutText(text, limit)}… (${text.length} characters)` : text;
  return cut.replace(HIDDEN, escapeHidden).replace(LOG_COMMAND, escapeHidden);
}

/** Returns text as `printable` does, but preserves line breaks. */
export function printableLines(text: string, limit = 2000): string {
  return cutText(text, limit)
    .split('\n')
    .map((line) => printable(line, limit))
    .join('\n')
    .concat(text.length > limit ? `… (${text.length} characters)` : '');
}

function escapeHidden(character: string): string {
  const known: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return known[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
