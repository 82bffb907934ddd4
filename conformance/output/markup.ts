import { printable } from './printable.ts';

/**
 * Markup that is not escaped again. Only functions in this file create markup, so all other text is
 * escaped.
 */
export type Markup = { readonly kind: 'markup'; readonly text: string };

type Value = Markup | readonly Markup[] | string | number | undefined;

/**
 * Returns HTML (or SVG) in which every interpolated string is escaped, for elements and
 * double-quoted attributes alike. Nested markup is unchanged.
 *
 * @example markup`<b>${'<i>'}</b>`.text // '<b>&lt;i&gt;</b>'
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const text = parts.map((part, at) => part + render(values[at])).join('');
  return { kind: 'markup', text };
}

/**
 * Returns text as markup, in which text between backticks is code.
 *
 * @example prose('`a` is <b>').text // '<code>a</code> is &lt;b&gt;'
 */
export function prose(words: string): Markup {
  const parts = words.split('`');
  if (parts.length % 2 === 0) return markup`${words}`;
  return markup`${parts.map((part, at) => (at % 2 === 0 ? markup`${part}` : markup`<code>${part}</code>`))}`;
}

/** Returns multi-line text as markup that preserves its line breaks. */
export function markupLines(text: string): Markup {
  const lines = text.split('\n');
  return markup`${lines.map((line, at) => markup`${trusted(at === 0 ? '' : '\n')}${line}`)}`;
}

/** Returns text unescaped. Pass only constants of this program. */
export function trusted(text: string): Markup {
  return { kind: 'markup', text };
}

function render(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeMarkup(printable(value, 20_000));
  if (typeof value === 'number') return String(value);
  if ('text' in value) return value.text;
  return value.map(({ text }) => text).join('');
}

const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => REFERENCES[character] ?? character);
}
