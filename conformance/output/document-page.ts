import {
  type Block,
  type Document,
  type Finding,
  type Line,
  numberColumns,
  type Part,
  type Section,
  type Span,
  sectionsOf,
  spansOf,
  type Table,
} from './document.ts';
import { type Markup, markup, markupLines, prose } from './markup.ts';
import { writePage } from './page.ts';
import { chartStyle, readSiblingFiles } from './page-style.ts';
import { printable } from './printable.ts';

/** Maximum number of characters of a span, except code. Longer ones are cut. */
const MAX_SPAN = 1000;

/** The style of sections of a document, in addition to the style that all pages share. */
export const DOCUMENT_STYLE = readSiblingFiles(import.meta.url, 'document-page.css');

/**
 * Returns a document as one self-contained page without a script. Text from a service is escaped.
 */
export function writeDocumentPage(title: string, document: Document, footer: string): string {
  const [head, ...sections] = document;
  return writePage({
    title,
    style: chartStyle() + DOCUMENT_STYLE,
    script: '',
    header: markup`<header>${(head?.blocks ?? []).map(blockMarkup)}</header>`,
    main: documentSections(sections),
    footer: markup`${footer}`,
  });
}

/** Returns markup for all sections that have blocks, for use in a page with other content. */
export function documentSections(sections: readonly Section[]): Markup[] {
  return sectionsOf(sections).map(sectionMarkup);
}

function sectionMarkup({ title, isFolded, blocks }: Section): Markup {
  const content = blocks.map(blockMarkup);
  if (title === undefined) return markup`<section>${content}</section>`;
  return isFolded
    ? markup`<section><details><summary>${lineMarkup(title)}</summary>${content}</details></section>`
    : markup`<section><h2>${lineMarkup(title)}</h2>${content}</section>`;
}

export function blockMarkup(block: Block): Markup {
  switch (block.kind) {
    case 'verdict': {
      const { subject, verdict, reason } = block;
      const state = { good: 'passed', bad: 'failed', warn: 'incomplete' }[block.tint];
      return markup`<h1>${subject}</h1><div class="verdict ${state}"><strong>${verdict}</strong><span>${reason}</span></div>`;
    }
    case 'line':
      return markup`<p>${lineMarkup(block.line)}</p>`;
    case 'list': {
      const items = block.items.map(
        ({ line, parts = [] }) => markup`<li>${lineMarkup(line)}${partsMarkup(parts)}</li>`,
      );
      const title = block.title === undefined ? markup`` : markup`<h3>${block.title}</h3>`;
      return markup`${title}<ul class="items">${items}</ul>`;
    }
    case 'table':
      return tableMarkup(block);
    case 'parts':
      return partsMarkup(block.parts);
    case 'finding':
      return findingMarkup(block);
  }
}

function tableMarkup(table: Table): Markup {
  const isNumber = numberColumns(table);
  const kind = (at: number): string => (isNumber[at] ? 'number' : 'text');
  const head = table.columns.map(
    (name, at) => markup`<th scope="col" class="${kind(at)}">${name}</th>`,
  );
  const rows = table.rows.map((row) => {
    const cells = row.map(
      (cell, at) =>
        markup`<td class="${kind(at)}" data-label="${table.columns[at] ?? ''}">${lineMarkup(cell)}</td>`,
    );
    return markup`<tr>${cells}</tr>`;
  });
  return markup`<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function partsMarkup(parts: readonly Part[]): Markup {
  if (parts.length === 0) return markup``;
  const entries = parts.map(([label, value]) =>
    typeof value === 'object' && 'shell' in value
      ? markup`<dt>${label}</dt><dd><pre>${markupLines(value.shell)}</pre></dd>`
      : markup`<dt>${label}</dt><dd>${lineMarkup(value)}</dd>`,
  );
  return markup`<dl class="parts">${entries}</dl>`;
}

function findingMarkup(finding: Finding): Markup {
  const { heading, about, example, variants = [], consequences } = finding;
  const more = variants.map((text) => markup`<li>${text}</li>`);
  return markup`<details class="failure"><summary><b>${lineMarkup(heading)}</b></summary><div class="parts">${about.map((line) => markup`<p>${line}</p>`)}${partsMarkup(example)}${more.length === 0 ? markup`` : markup`<ul class="items">${more}</ul>`}${consequences === undefined ? markup`` : blockMarkup(consequences)}</div></details>`;
}

function lineMarkup(line: Line): Markup {
  return markup`${spansOf(line).map(spanMarkup)}`;
}

const MARKS = {
  passed: '✓',
  failed: '✗',
  warning: '⚠',
  waived: '~',
  observed: 'i',
  'left-out': '·',
} as const;

function spanMarkup(span: Span): Markup {
  if (typeof span === 'string') return proseMarkup(span);
  if ('mark' in span) return markup`<span class="mark ${span.mark}">${MARKS[span.mark]}</span>`;
  const text = span.isCode ? markup`<code>${span.text}</code>` : proseMarkup(span.text);
  const tinted = span.tint === undefined ? text : markup`<span class="${span.tint}">${text}</span>`;
  return span.isBold ? markup`<b>${tinted}</b>` : tinted;
}

function proseMarkup(text: string): Markup {
  return prose(printable(text, MAX_SPAN));
}
