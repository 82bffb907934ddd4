import { type Node, parseTree } from 'jsonc-parser';
import { excerptOf } from './exchange.ts';

/** A value of a body as it was written, to the digit. */
export type JsonPlace = {
  /** JSON pointer to the value. */
  readonly pointer: string;
  readonly text: string;
};

const MOST_SHOWN = 1_000;
const MOST_READ = 200_000;

/**
 * Returns what stands at a JSON pointer, or around it where nothing does: the
 * widest object inside the body that is short enough to show, or else value,
 * and the value that the pointer names, where it is a number.
 *
 * @example
 * placeIn('{"sell":{"amount":1e400}}', '/sell/amount')
 * // { around: { pointer: '/sell', text: '{"amount":1e400}' }, number: '1e400' }
 */
export function placeIn(
  text: string,
  pointer: string,
): { readonly around?: JsonPlace; readonly number?: string } {
  if (text.length > MOST_READ) return {};
  const parts = pointer.split('/').slice(1);
  const nodes = nodesAlong(text, parts);
  const textOf = ({ offset, length }: Node) => excerptOf(text.slice(offset, offset + length));
  const isShort = ({ length }: Node) => length <= MOST_SHOWN;
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

/** Returns where in a JSON text the value stands that a pointer names; the text may be cut off. */
export function rangeIn(
  text: string,
  pointer: string,
): { readonly offset: number; readonly length: number } | undefined {
  const parts = pointer.split('/').slice(1);
  return nodesAlong(text, parts)[parts.length - 1];
}

/** Of the text that was read last: many rules may find fault with one reply. */
let last: { readonly text: string; readonly root: Node | undefined } | undefined;

/** The values that a pointer leads through, as far as there are any. */
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

/** Of a key that stands twice, readers keep the last. */
function childOf({ type, children = [] }: Node, part: string): Node | undefined {
  if (type === 'array') return children[Number(part)];
  const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
  return children.findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1];
}
