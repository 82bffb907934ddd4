import { format, visit } from 'jsonc-parser';
import { rangeIn } from '../../client/json-place.ts';
import { type Markup, markup, trusted } from '../../output/markup.ts';
import { printableLines } from '../../output/printable.ts';

type Tag = readonly [offset: number, tag: string];

/**
 * Returns JSON text with indentation. Every value remains as sent. Names and numbers are
 * highlighted, and the value at the pointer is marked. Text that is not JSON remains unchanged.
 */
export function jsonView(text: string, pointer?: string): Markup {
  if (!/^\s*[[{]/.test(text)) return escapeLines(text);
  const indented = indent(text);
  const tags = tagsOf(indented, pointer);
  const pieces = tags.map(([offset, tag], at) => {
    const end = tags[at + 1]?.[0] ?? indented.length;
    return markup`${trusted(tag)}${escapeLines(indented.slice(offset, end))}`;
  });
  return markup`${escapeLines(indented.slice(0, tags[0]?.[0]))}${pieces}`;
}

/**
 * Applies all edits in one pass, since `applyEdits` from the package copies the text for each edit.
 */
function indent(text: string): string {
  const edits = format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' });
  let end = 0;
  const pieces = edits.map(({ offset, length, content }) => {
    const unchanged = text.slice(end, offset);
    end = offset + length;
    return unchanged + content;
  });
  return pieces.join('') + text.slice(end);
}

/** Returns tags in order of offset. A mark may enclose names and numbers, but never splits them. */
function tagsOf(text: string, pointer: string | undefined): readonly Tag[] {
  const inside: Tag[] = [];
  const wrap = (tag: string, offset: number, length: number) =>
    inside.push([offset, `<${tag}>`], [offset + length, `</${tag}>`]);
  visit(text, {
    onObjectProperty: (_name, offset, length) => wrap('b', offset, length),
    onLiteralValue: (value, offset, length) => {
      if (typeof value !== 'string') wrap('i', offset, length);
    },
  });
  const place = pointer === undefined ? undefined : rangeIn(text, pointer);
  const around: [Tag[], Tag[]] =
    place === undefined
      ? [[], []]
      : [[[place.offset, '<mark>']], [[place.offset + place.length, '</mark>']]];
  return [...around[0], ...inside, ...around[1]].sort(([a], [b]) => a - b);
}

function escapeLines(text: string): Markup {
  const lines = printableLines(text, Number.POSITIVE_INFINITY).split('\n');
  return markup`${lines.map((line, at) => markup`${at === 0 ? '' : trusted('\n')}${line}`)}`;
}
