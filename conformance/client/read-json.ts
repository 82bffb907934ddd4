import { isAscii, isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';
import type { JSONPath } from 'jsonc-parser';
import type { JsonDocument } from './exchange.ts';

const require = createRequire(import.meta.url);

/** RFC 8259, section 9, allows a maximum nesting depth. Deeper bodies would exhaust the stack. */
const MAX_DEPTH = 256;
const MAX_LISTED_DUPLICATES = 20;

/**
 * Parses a body as JSON text (RFC 8259): UTF-8, no byte-order mark, no NaN. Lists the JSON pointers
 * of at most 20 duplicate keys.
 *
 * @example readJson('{"a":1,"a":2}') // { kind: 'json', value: { a: 2 }, duplicateKeys: ['/a'] }
 */
export function readJson(text: string): JsonDocument;
/**
 * Parses a body in the same way, but returns undefined for a body with more than `maxValues`
 * values.
 */
export function readJson(text: string, maxValues: number): JsonDocument | undefined;
export function readJson(text: string, maxValues = Number.POSITIVE_INFINITY) {
  if (text === '') return notJson('the body is empty');
  if (text.startsWith('\uFEFF')) return notJson('the body begins with a byte-order mark');
  // Every value takes at least one character.
  const excess = text.length < maxValues ? undefined : findExcess(text, maxValues);
  if (excess === 'values') return undefined;
  if (excess === 'depth') return TOO_DEEP;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (findExcess(text, maxValues) === 'depth') return TOO_DEEP;
    return notJson(`JSON.parse reports ${JSON.stringify(String(cause))}`);
  }
  const keys = countKeys(value, 0);
  if (keys === undefined) return TOO_DEEP;
  const duplicateKeys = keys === countWrittenKeys(text) ? NONE : findDuplicateKeys(text);
  return { kind: 'json', value, duplicateKeys };
}

/** Reason why a body that is not UTF-8 is not JSON. */
export const NOT_UTF8 = 'the body is not UTF-8';

/**
 * Decodes a body strictly, preserving a byte-order mark; returns `undefined` if it is not UTF-8.
 */
export function decodeUtf8(body: Buffer): string | undefined {
  if (isAscii(body)) return body.toString('latin1');
  return isUtf8(body) ? body.toString('utf8') : undefined;
}

function notJson(reason: string): JsonDocument {
  return { kind: 'not-json', reason };
}

const TOO_DEEP = notJson(`the body is nested more than ${MAX_DEPTH} levels deep`);
const NONE: readonly string[] = [];

/**
 * Scans the text without recursion until it exceeds a limit. For text that is not JSON, the result
 * does not matter, since JSON.parse rejects that text.
 */
function findExcess(text: string, maxValues: number): 'values' | 'depth' | undefined {
  let values = 1;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x7b: // {
      case 0x5b: // [
        values++;
        depth++;
        if (depth > MAX_DEPTH) return 'depth';
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (depth > 0) depth--;
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x22:
        i = offsetAfterString(text, i) - 1;
    }
    if (values > maxValues) return 'values';
  }
  return undefined;
}

/**
 * Counts the keys in the parsed value. JSON.parse keeps one value for a duplicate key, so a text
 * with duplicates contains more keys.
 */
function countKeys(value: unknown, depth: number): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === MAX_DEPTH) return undefined;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const each of value) {
      const inside = countKeys(each, depth + 1);
      if (inside === undefined) return undefined;
      keys += inside;
    }
    return keys;
  }
  for (const key in value) {
    const inside = countKeys((value as Record<string, unknown>)[key], depth + 1);
    if (inside === undefined) return undefined;
    keys += 1 + inside;
  }
  return keys;
}

/**
 * Counts the keys in the text. The count is too high if a string contains text that looks like the
 * end of a key.
 */
function countWrittenKeys(text: string): number {
  let keys = 0;
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= 0x20) before--;
    if (text.charCodeAt(before) === 0x22) keys++;
  }
  return keys;
}

function findDuplicateKeys(text: string): readonly string[] {
  // Loaded only if a reply has duplicate keys.
  const { visit } = require('jsonc-parser') as typeof import('jsonc-parser');
  const open: Set<string>[] = [];
  const duplicateKeys: string[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, _offset, _length, _line, _character, pathTo) => {
      const keys = open.at(-1);
      if (keys?.has(key) && duplicateKeys.length < MAX_LISTED_DUPLICATES) {
        duplicateKeys.push(pointerTo([...pathTo(), key]));
      }
      keys?.add(key);
    },
  });
  return duplicateKeys;
}

function pointerTo(path: JSONPath): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function offsetAfterString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}
