/**
 * Writes text to standard error and escapes control characters, so that text from a node, maker or
 * file cannot control the terminal.
 */
export function notify(text: string): void {
  process.stderr.write(`${text.replace(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)}\n`);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
