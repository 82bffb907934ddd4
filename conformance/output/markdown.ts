import { printable } from './printable.ts';

/**
 * Returns any text as GitHub-flavoured Markdown that shows it: character
 * references stand for what Markdown, HTML or GitHub (mentions, links) would read.
 *
 * @param limit - Most characters kept.
 */
export function escapeText(text: string, limit = 1000): string {
  return printable(text, limit).replace(
    /[\\`*_{}[\]()#+!|<>&@~$^=]|:(?=\/)|(?<=www)\./gi,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}

/** Returns a table; its cells are markup already. */
export function markupTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
