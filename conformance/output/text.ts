import stringWidth from 'string-width';
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
  spansOf,
  type Table,
  type Tint,
} from './document.ts';
import { printable } from './printable.ts';
import { createPaint, type Paint } from './terminal.ts';

const MAX_VARIANTS = 2;
const MAX_CHARACTERS = 300;

/** Style of text output. */
export type TextStyle = {
  /** True to use color; the caller has checked NO_COLOR and the terminal. */
  readonly color?: boolean;
  /** True to show sections in their brief form, if they have one. */
  readonly isBrief?: boolean;
};

/**
 * Returns a document as text for a terminal. In a terminal, the last lines are seen first, so the
 * most important part is at the end. Sections that open the text are at its beginning.
 */
export function renderText(
  document: Document,
  { color = false, isBrief = false }: TextStyle = {},
): string {
  const paint = createPaint(color);
  const sections = document
    .map((section) => (isBrief && section.brief ? { blocks: section.brief } : section))
    .filter(({ blocks }) => blocks.length > 0);
  const opening = sections.filter(({ opensText }) => opensText);
  const others = sections.filter(({ opensText }) => opensText !== 'only');
  return `${[...opening, ...others.reverse()]
    .map((section) => sectionLines(section, paint).join('\n'))
    .join('\n\n')}\n`;
}

function sectionLines({ title, blocks }: Section, paint: Paint): string[] {
  const lines = blocks.flatMap((block) => blockLines(block, paint));
  return title === undefined ? lines : [paint.bold(renderLine(title, paint)), ...lines];
}

function blockLines(block: Block, paint: Paint): string[] {
  switch (block.kind) {
    case 'verdict': {
      const words = `${block.verdict.toUpperCase()}: ${printable(block.reason)}`;
      return [paint.bold(paint[COLORS[block.tint]](words))];
    }
    case 'line':
      return [renderLine(block.line, paint)];
    case 'list':
      return [
        ...(block.title === undefined ? [] : [paint.bold(renderLine(block.title, paint))]),
        ...block.items.flatMap((item) => itemLines(item, paint)),
      ];
    case 'table':
      return tableLines(block, paint);
    case 'parts':
      return partLines(block.parts, paint);
    case 'finding':
      return findingLines(block, paint);
    case 'fold':
      return sectionLines(block, paint);
    case 'figure':
      return block.blocks.flatMap((each) => blockLines(each, paint));
  }
}

function itemLines({ line, parts = [] }: Item, paint: Paint): string[] {
  return [`  ${renderLine(line, paint)}`, ...indented(6, partLines(parts, paint))];
}

function partLines(given: readonly Part[], paint: Paint): string[] {
  const parts = plainParts(given);
  const width = Math.max(...parts.map(([label]) => stringWidth(label)));
  return parts.map(([label, value]) => {
    const words =
      typeof value === 'object' && 'shell' in value
        ? paint.cyan(printable(value.shell, Number.POSITIVE_INFINITY))
        : renderLine(value, paint);
    return `${' '.repeat(width - stringWidth(label))}${label}: ${words}`;
  });
}

function tableLines(table: Table, paint: Paint): string[] {
  const isRight = numberColumns(table);
  const rows = [table.columns, ...table.rows];
  const widths = table.columns.map((_, at) =>
    Math.max(...rows.map((cells) => shownWidth(cells[at] ?? ''))),
  );
  const [head = '', ...others] = rows.map((cells) =>
    cells
      .map((cell, at) => {
        const gap = ' '.repeat((widths[at] ?? 0) - shownWidth(cell));
        return isRight[at] ? gap + renderLine(cell, paint) : renderLine(cell, paint) + gap;
      })
      .join('  ')
      .trimEnd(),
  );
  return [paint.bold(head), ...others];
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { heading, about, example, variants = [], consequences } = finding;
  return [
    '',
    `  ${renderLine(heading, paint)}`,
    ...about.map((line) => `    ${paint.dim(printable(line, MAX_CHARACTERS))}`),
    ...indented(6, partLines([...example, ...variantParts(variants)], paint)),
    ...(consequences === undefined ? [] : indented(4, blockLines(consequences, paint))),
  ];
}

function variantParts(variants: readonly string[]): readonly Part[] {
  const more = (count: number) => `${count} more variants, in the JSON report`;
  return firstOf(variants, MAX_VARIANTS, more).map((text) => ['Also', text]);
}

function indented(width: number, lines: readonly string[]): string[] {
  return lines.map((line) => ' '.repeat(width) + line);
}

function renderLine(line: Line, paint: Paint): string {
  return spansOf(line)
    .map((span) => renderSpan(span, paint))
    .join('');
}

function renderSpan(span: Span, paint: Paint): string {
  if (typeof span === 'string') return printable(span, MAX_CHARACTERS);
  if ('mark' in span) {
    const [sign, color] = SIGNS[span.mark];
    return paint[color](sign);
  }
  const text = printable(span.text, MAX_CHARACTERS);
  const tinted = span.tint ? paint[COLORS[span.tint]](text) : text;
  return span.isBold ? paint.bold(tinted) : tinted;
}

/** Returns the number of terminal columns that a line takes: CJK characters and emoji take two. */
function shownWidth(line: Line): number {
  return stringWidth(renderLine(line, createPaint(false)));
}

const COLORS: Readonly<Record<Tint, keyof Paint>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  note: 'cyan',
  dim: 'dim',
};

const SIGNS: Readonly<Record<Mark, readonly [sign: string, color: keyof Paint]>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  warning: ['!', 'yellow'],
  waived: ['~', 'yellow'],
  observed: ['·', 'cyan'],
  'left-out': ['-', 'dim'],
};
