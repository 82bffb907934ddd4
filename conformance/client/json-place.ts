import { type Node, parseTree } from 'jsonc-parser';
import { excerptOf } from './exchange.ts';

/** A value in a body, exactly as it was sent. */
export type JsonPlace = {
  /** JSON pointer to the value. */
  readonly pointer: string;
  readonly text: string;
};

const MAX_SHOWN_CHARACTERS = 1_000;
const MAX_READ_CHARACTERS = 200_000;

/**
 * Returns the text around the value at a JSON pointer: the largest object on the pointer's path
 * that is short enough to show. If no object is short enough, returns the largest other value that
 * is. If the value is a number, also returns its digits. If there is no value at the pointer,
 * returns the text around the place where the path ends.
 *
 * @example placeIn('{"sell":{"amount":1e400}}', '/sell/amount') // { around: { pointer: '/sell',
 * text: '{"amount":1e400}' }, number: '1e400' }
 */
export function placeIn(
  text: string,
  pointer: string,
): { readonly around?: JsonPlace; readonly number?: string } {
  if (text.length > MAX_READ_CHARACTERS) return {};
  const parts = pointer.split('/').slice(1);
  const nodes = nodesAlong(text, parts);
  const textOf = ({ offset, length }: Node) => excerptOf(text.slice(offset, offset + length));
  const isShort = ({ length }: Node) => length <= MAX_SHOWN_CHARACTERS;
  const object = nodes.findIndex((node) => node.type === 'object' && isShort(node));
  const at = object < 0 ? nodes.findIndex(isShort) : object;
  const around = nodes[at];
  const named = nodes.length === parts.length ? nodes.at(-1) : undefined;
  return {
    ...(around && {
      around: { pointer: `/${parts.slice(0, at + 1).join('/')}`, text: textOf(around) },
    }),
    ...(named?.type === 'number' && { number: textOf(named) }),
  };
}

/** Returns the range of the value at a pointer in a JSON text, which may be truncated. */
export function rangeIn(
  text: string,
  pointer: string,
): { readonly offset: number; readonly length: number } | undefined {
  const parts = pointer.split('/').slice(1);
  return nodesAlong(text, parts)[parts.length - 1];
}

/** The latest text is cached, since many rules may report failures in one reply. */
let last: { readonly text: string; readonly root: Node | undefined } | undefined;

function nodesAlong(text: string, parts: readonly string[]): readonly Node[] {
  const nodes: Node[] = [];
  if (last?.text !== text) last = { text, root: parseTree(text) };
  let node = last.root;
  for (const part of parts) {
    node = node && childOf(node, part);
    if (node === undefined) break;
    nodes.push(node);
  }
  return nodes;
}

/** For a duplicate key, parsers keep the last value. */
function childOf({ type, children = [] }: Node, part: string): Node | undefined {
  if (type === 'array') return children[Number(part)];
  const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
  return children.findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1];
}
