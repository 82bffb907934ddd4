/** HTML text. Only `markup` creates it, so all other text is escaped. */
export type Markup = { readonly html: string };

type Value = Markup | readonly Markup[] | string | number | undefined;

/**
 * Returns HTML with every interpolated string escaped, for elements and double-quoted attributes.
 * Nested markup is not escaped again.
 * @example markup`<b>${'<i>'}</b>`.html // '<b>&lt;i&gt;</b>'
 */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: parts.map((part, at) => part + render(values[at])).join('') };
}

function render(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string')
    return value.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
  if (typeof value === 'number') return String(value);
  return [value]
    .flat()
    .map(({ html }) => html)
    .join('');
}
