import {
  type Block,
  type Document,
  type Findings,
  type Item,
  type Line,
  type Mark,
  numberColumns,
  type Part,
  type Section,
  type Span,
  spansOf,
  type Table,
} from './document.ts';
import { printable } from './printable.ts';

/** GitHub refuses a job summary of 1 MiB or more; the rest is for what a step adds of its own. */
const MOST_BYTES = 900_000;

/**
 * Returns a document as GitHub-flavoured Markdown that fits a job summary, what
 * matters most first. Cases of findings that do not fit are counted, never cut
 * in half.
 */
export function renderMarkdown(document: Document): string {
  const sections = document.filter(({ blocks }) => blocks.length > 0);
  const write = (fits: Fits): string =>
    `${sections.map((section) => sectionText(section, fits)).join('\n\n')}\n`;
  let left = MOST_BYTES - Buffer.byteLength(write(() => false));
  return write((text) => {
    left -= Buffer.byteLength(text) + 2;
    return left >= 0;
  });
}

/** Whether there is room for one more text. */
type Fits = (text: string) => boolean;

function sectionText({ title, isFolded, blocks }: Section, fits: Fits): string {
  const text = blocks.map((block) => blockText(block, fits)).join('\n\n');
  if (title === undefined) return text;
  return isFolded ? folded(lineText(title), text) : `### ${lineText(title)}\n\n${text}`;
}

function folded(summary: string, text: string): string {
  return `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`;
}

function blockText(block: Block, fits: Fits): string {
  switch (block.kind) {
    case 'verdict': {
      const { tint, subject, verdict, reason } = block;
      return `## ${VERDICT_SIGNS[tint]} ${escapeText(subject)}: ${verdict}\n\n${escapeText(reason)}`;
    }
    case 'line':
      return lineText(block.line);
    case 'list': {
      const items = block.items.map(itemText).join('\n');
      return block.title === undefined ? items : `**${escapeText(block.title)}**\n\n${items}`;
    }
    case 'table':
      return tableText(block);
    case 'parts':
      return partsText(block.parts);
    case 'findings':
      return findingText(block, fits);
  }
}

function itemText({ line, parts = [] }: Item): string {
  const nested = parts.length === 0 ? '' : `\n${partsText(parts).replace(/^/gm, '  ')}`;
  return `- ${lineText(line)}${nested}`;
}

/** The lines for a shell come last, each a block of its own. */
function partsText(parts: readonly Part[]): string {
  const values: string[] = [];
  const lines: string[] = [];
  for (const [label, value] of parts) {
    if (typeof value === 'object' && 'shell' in value) lines.push(fenced(value.shell));
    else values.push(`- **${escapeText(label)}:** ${lineText(value)}`);
  }
  return [...(values.length === 0 ? [] : [values.join('\n')]), ...lines].join('\n\n');
}

function tableText(table: Table): string {
  const rules = numberColumns(table).map((isNumber) => (isNumber ? '---:' : '---'));
  const cells = table.rows.map((row) => row.map((cell) => lineText(cell, 300)));
  return [table.columns.map((name) => escapeText(name)), rules, ...cells]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

function findingText({ clause, words, rule, cases }: Findings, fits: Fits): string {
  const texts = cases.map(partsText);
  const tooMany = texts.findIndex((text) => !fits(text));
  const shown = tooMany < 0 ? texts : texts.slice(0, tooMany);
  const left = texts.length - shown.length;
  const blocks = [
    ...(words === undefined ? [] : [`> ${escapeText(words)}`]),
    ...shown,
    ...(left === 0 ? [] : [`${left} more failures are in the JSON report.`]),
  ];
  return folded(`<b>${escapeText(clause)}</b> ${lineText(rule)}`, blocks.join('\n\n'));
}

function lineText(line: Line, limit?: number): string {
  return spansOf(line)
    .map((span) => spanText(span, limit))
    .join('');
}

function spanText(span: Span, limit?: number): string {
  if (typeof span === 'string') return escapeText(span, limit);
  if ('mark' in span) return SIGNS[span.mark];
  const text = escapeText(span.text, limit);
  const code = span.isCode ? `<code>${text}</code>` : text;
  return span.isBold ? `<b>${code}</b>` : code;
}

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

function fenced(line: string): string {
  const text = printable(line, Number.POSITIVE_INFINITY);
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}sh\n${text}\n${fence}`;
}

const VERDICT_SIGNS = { good: '✅', bad: '❌', warn: '⚠️' } as const;

const SIGNS: Readonly<Record<Mark, string>> = {
  passed: '✅',
  failed: '❌',
  warning: '⚠️',
  waived: '🟡',
  observed: '👁️',
  'left-out': '➖',
};
