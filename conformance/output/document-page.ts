import { counted } from '../contract/counted.ts';
import { firstOf } from '../contract/first-of.ts';
import {
  type Attributes,
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
import { type Markup, markup, markupLines, prose, trusted } from './markup.ts';
import { writePage } from './page.ts';
import { chartStyle, readSiblingFiles } from './page-style.ts';
import { printable } from './printable.ts';

/** Maximum number of characters of a span, except code. Longer ones are cut. */
const MAX_SPAN = 1000;
const MAX_VARIANTS = 50;

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

function sectionMarkup({ title, blocks }: Section): Markup {
  const heading = title === undefined ? undefined : markup`<h2>${lineMarkup(title)}</h2>`;
  return markup`<section>${heading}${blocks.map(blockMarkup)}</section>`;
}

export function blockMarkup(block: Block): Markup {
  switch (block.kind) {
    case 'verdict': {
      const { subject, verdict, reason, tint } = block;
      return markup`<h1>${subject}</h1><div class="verdict ${tint}"><strong>${verdict}</strong> <span>${proseMarkup(reason)}</span></div>`;
    }
    case 'line':
      return markup`<p>${lineMarkup(block.line)}</p>`;
    case 'list': {
      const items = block.items.map(
        ({ line, parts = [], attributes }) =>
          markup`<li${attributesMarkup(attributes)}>${lineMarkup(line)}${partsMarkup(parts)}</li>`,
      );
      const title = block.title && markup`<h3>${lineMarkup(block.title)}</h3>`;
      return markup`${title}<ul class="items">${items}</ul>`;
    }
    case 'table':
      return tableMarkup(block);
    case 'parts':
      return partsMarkup(block.parts);
    case 'finding':
      return findingMarkup(block);
    case 'fold':
      return markup`<details class="fold"><summary><b>${lineMarkup(block.title)}</b></summary>${block.blocks.map(blockMarkup)}</details>`;
    case 'figure':
      return block.draw();
  }
}

function attributesMarkup(attributes: Attributes = {}): Markup {
  return markup`${Object.entries(attributes).map(([name, value]) => markup` ${trusted(name)}="${value}"`)}`;
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
  const entries = parts.map(
    ([label, value]) => markup`<dt>${label}</dt><dd>${valueMarkup(value)}</dd>`,
  );
  return markup`<dl class="parts">${entries}</dl>`;
}

function valueMarkup(value: Part[1]): Markup {
  if (typeof value !== 'object') return lineMarkup(value);
  if ('draw' in value) return value.draw();
  if ('shell' in value) {
    return markup`<pre class="shell" tabindex="0">${markupLines(value.shell)}</pre>`;
  }
  return lineMarkup(value);
}

function findingMarkup(finding: Finding): Markup {
  const { heading, note, attributes, about, example, variants = [], consequences } = finding;
  return markup`<details class="failure"${attributesMarkup(attributes)}><summary><b>${lineMarkup(heading)}</b>${note && markup`<span class="count">${note}</span>`}</summary>
<div>${about.map((line) => markup`<blockquote>${proseMarkup(line)}</blockquote>`)}${partsMarkup(example)}${variantList(variants)}${consequences && blockMarkup(consequences)}</div></details>`;
}

function variantList(variants: readonly string[]): Markup | undefined {
  if (variants.length === 0) return undefined;
  const shown = firstOf(variants, MAX_VARIANTS, (more) => `${more} more, in the JSON report`);
  return markup`<details><summary>Also found: ${counted(variants.length, 'variant')}</summary><ul class="items">${shown.map((text) => markup`<li>${proseMarkup(text)}</li>`)}</ul></details>`;
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
  const linked = span.href === undefined ? text : markup`<a href="${span.href}">${text}</a>`;
  const tinted =
    span.tint === undefined ? linked : markup`<span class="${span.tint}">${linked}</span>`;
  return span.isBold ? markup`<b>${tinted}</b>` : tinted;
}

function proseMarkup(text: string): Markup {
  return prose(printable(text, MAX_SPAN));
}
