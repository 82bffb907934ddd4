import { firstOf } from '../contract/first-of.ts';
import {
  type Block,
  type Document,
  type Finding,
  type Item,
  type Line,
  type Mark,
  numberColumns,
  type Part,
  plainParts,
  type Section,
  type Span,
  sectionsOf,
  spansOf,
  type Table,
} from './document.ts';
import { printable } from './printable.ts';

/** Maximum size. GitHub rejects job summaries of 1 MiB or more, and nobody reads that much. */
const MAX_BYTES = 60_000;
const MAX_VARIANTS = 10;

/**
 * Returns a document as GitHub-flavored Markdown that fits into a job summary, with the most
 * important part first. Examples that do not fit are omitted, never cut.
 */
export function renderMarkdown(document: Document): string {
  const sections = sectionsOf(
    document.map((section) => (section.summary ? { blocks: section.summary } : section)),
  );
  const write = (fits: Fits): string =>
    `${sections.map((section) => renderSection(section, fits)).join('\n\n')}\n`;
  let left = MAX_BYTES - Buffer.byteLength(write(() => false));
  return write((text) => {
    left -= Buffer.byteLength(text) + 2;
    return left >= 0;
  });
}

type Fits = (text: string) => boolean;

function renderSection({ title, blocks }: Section, fits: Fits): string {
  const text = renderBlocks(blocks, fits);
  return title === undefined ? text : `### ${renderLine(title)}\n\n${text}`;
}

function renderBlocks(blocks: readonly Block[], fits: Fits): string {
  return blocks.map((block) => renderBlock(block, fits)).join('\n\n');
}

function detailsBlock(summary: string, text: string): string {
  return `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`;
}

function renderBlock(block: Block, fits: Fits): string {
  switch (block.kind) {
    case 'verdict': {
      const { tint, subject, verdict, reason } = block;
      return `## ${VERDICT_SIGNS[tint]} ${escapeText(subject)}: ${verdict}\n\n${escapeText(reason)}`;
    }
    case 'line':
      return renderLine(block.line);
    case 'list': {
      const items = block.items.map(renderItem).join('\n');
      return block.title === undefined ? items : `**${renderLine(block.title)}**\n\n${items}`;
    }
    case 'table':
      return renderTable(block);
    case 'parts':
      return renderParts(block.parts);
    case 'finding':
      return renderFinding(block, fits);
    case 'fold':
      return detailsBlock(htmlLine(block.title), renderBlocks(block.blocks, fits));
    case 'figure':
      return renderBlocks(block.blocks, fits);
  }
}

function renderItem({ line, parts = [] }: Item): string {
  const nested = parts.length === 0 ? '' : `\n${renderParts(parts).replace(/^/gm, '  ')}`;
  return `- ${renderLine(line)}${nested}`;
}

function renderParts(parts: readonly Part[]): string {
  const values: string[] = [];
  const lines: string[] = [];
  for (const [label, value] of plainParts(parts)) {
    if (typeof value === 'object' && 'shell' in value) lines.push(fenced(value.shell));
    else values.push(`- **${escapeText(label)}:** ${renderLine(value)}`);
  }
  return [...(values.length === 0 ? [] : [values.join('\n')]), ...lines].join('\n\n');
}

function renderTable(table: Table): string {
  const rules = numberColumns(table).map((isNumber) => (isNumber ? '---:' : '---'));
  const cells = table.rows.map((row) => row.map((cell) => renderLine(cell, 300)));
  return [table.columns.map((name) => escapeText(name)), rules, ...cells]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

function renderFinding(finding: Finding, fits: Fits): string {
  const { heading, about, example, variants = [], consequences } = finding;
  const list = firstOf(
    variants,
    MAX_VARIANTS,
    (more) => `${more} more variants, in the JSON report`,
  ).map((text) => `- ${escapeText(text)}`);
  const text = [
    ...about.map((line) => `> ${escapeText(line)}`),
    renderParts(example),
    ...(list.length > 0 ? [`**Also**\n\n${list.join('\n')}`] : []),
    ...(consequences === undefined ? [] : [renderBlock(consequences, fits)]),
  ].join('\n\n');
  return detailsBlock(htmlLine(heading), fits(text) ? text : 'The example is in the JSON report.');
}

function renderLine(line: Line, limit?: number): string {
  return spansOf(line)
    .map((span) => renderSpan(span, limit))
    .join('');
}

function renderSpan(span: Span, limit?: number): string {
  if (typeof span === 'string') return escapeText(span, limit);
  if ('mark' in span) return SIGNS[span.mark];
  const text = span.isCode
    ? codeSpan(printable(span.text, limit ?? 1000))
    : escapeText(span.text, limit);
  return span.isBold ? `<b>${text}</b>` : text;
}

function htmlLine(line: Line): string {
  return spansOf(line)
    .map((span) => {
      if (typeof span === 'string') return escapeHtml(span);
      return 'mark' in span ? SIGNS[span.mark] : escapeHtml(span.text);
    })
    .join('');
}

/**
 * Returns GitHub-flavored Markdown that shows any text literally, with as few escapes as possible.
 * Text between backticks is code.
 *
 * @param limit - Maximum number of characters.
 * @example escapeText('`a|b` is *not* 2 * 3') // '`a|b` is \\*not\\* 2 \\* 3'
 */
export function escapeText(text: string, limit = 1000): string {
  return proseParts(printable(text, limit))
    .map(({ text: part, isCode }, at) =>
      isCode ? codeSpan(part) : escapePlain(part, { isFirst: at === 0 }),
    )
    .join('');
}

function escapeHtml(text: string): string {
  return proseParts(printable(text, 1000))
    .map(({ text: part, isCode }) => {
      const plain = part.replace(/[&<>@]/g, (character) => `&#${character.charCodeAt(0)};`);
      return isCode ? `<code>${plain}</code>` : plain;
    })
    .join('');
}

/** Treats text between paired backticks as code, and an unpaired backtick as a character. */
function proseParts(text: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  const parts = text.split('`').map((part, at) => ({ text: part, isCode: at % 2 === 1 }));
  const arePairs =
    parts.length % 2 === 1 && parts.every((part) => !part.isCode || part.text.trim() !== '');
  return arePairs ? parts : [{ text, isCode: false }];
}

function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return fence + pad + text + pad + fence;
}

const LINE_START = /^(\s*)(?:([#=+-]+)(?=\s|$)|(\d{1,9})(?=[.)](?:\s|$))|(?=[>[]))/;

function escapePlain(text: string, { isFirst }: { readonly isFirst: boolean }): string {
  const escaped = text
    .replace(
      /\\(?=[!-/:-@[-`{-~])|[*~`]|\](?=[([:])|\[(?=\^)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu,
      '\\$&',
    )
    .replace(
      /<(?=[a-z/!?])|&(?=#?\w+;)|@(?=\w)|\$|:(?=\/\/)|(?<=www)\./gi,
      (character) => `&#${character.charCodeAt(0)};`,
    );
  if (!isFirst) return escaped;
  return escaped.replace(LINE_START, (_match, space, sign, number) =>
    number === undefined ? `${space}\\${sign ?? ''}` : `${space}${number}\\`,
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
