import { KEY_PLACEHOLDER } from './request.ts';

/** Replaces the API key in a text by `$SWAPCHECK_API_KEY`, whatever encoding it stands in. */
export type Redact = (text: string) => string;

/**
 * Takes one API key out of all that is shown. What is judged is left as the
 * service sent it; what it said is told apart from our own words, which a key
 * such as `a` or `swap` would garble otherwise.
 */
export type Redactor = {
  /** For what the service said: bodies, headers, names. Every spelling goes, wherever it stands. */
  readonly said: Redact;
  /** For a sentence of ours: only what it quotes is the service's, in double quotes as JSON has them. */
  readonly sentence: Redact;
  /** For a path and query, where values may be the service's and names are not. */
  readonly target: Redact;
  /** Whether what the service said holds a key that may stand there by chance (see `isTelling`). */
  readonly mayGarble: (said: string) => boolean;
};

/** The redactor of some keys; those that are undefined or empty are none. */
export function createRedactor(...apiKeys: readonly (string | undefined)[]): Redactor {
  const keys = apiKeys.filter((key): key is string => key !== undefined && key !== '');
  const telling = replacing(keys.filter(isTelling), spelling);
  const said = replacing(keys, spelling);
  // No word of ours is spelled like this, whatever the key is.
  const encoded = replacing(keys, (key) => `(?!${asItIs(key)})${spelling(key)}`);
  const plain = keys.filter((key) => !isTelling(key));
  const byChance = replacing(plain, spelling);
  return {
    said,
    sentence: (text) =>
      telling(
        text.replace(/"(?:[^"\\]|\\.)*"?|[^"]+/g, (part) =>
          part.startsWith('"') ? inQuotes(part, said) : encoded(part),
        ),
      ),
    target: (text) =>
      plain.length === 0
        ? telling(text)
        : telling(text).replace(/(?<=[?&][^=&]*=)[^&]+/g, (value) =>
            plain.some((key) => standsIn(value, key)) ? KEY_PLACEHOLDER : value,
          ),
    mayGarble: (text) => byChance(text) !== text,
  };
}

/** Shorter keys may stand in any text by chance; so may plain words, and digits that repeat. */
const TELLING_LENGTH = 8;
const TELLING_LETTERS = 5;
const LONGEST_WORD = 16;

/**
 * Returns whether a key stands nowhere but where it was echoed, so that it can
 * be taken out of a body before that is judged.
 *
 * @example isTelling('3f9c1e70') // true
 * @example isTelling('00000000') // false
 */
export function isTelling(apiKey: string): boolean {
  const isWord = apiKey.length <= LONGEST_WORD && /^[a-z-]+$/i.test(apiKey);
  return apiKey.length >= TELLING_LENGTH && new Set(apiKey).size >= TELLING_LETTERS && !isWord;
}

/** Whether a value of a query is a key, or holds one that is no chance. */
function standsIn(value: string, apiKey: string): boolean {
  const source = spelling(apiKey);
  return new RegExp(apiKey.length < 4 ? `^${source}$` : source).test(value);
}

/** What a quotation says may be encoded once more inside it; one that was cut is taken as it is. */
function inQuotes(quotation: string, said: Redact): string {
  const text = readString(quotation);
  if (text === undefined) return `"${said(quotation.slice(1))}`;
  const redacted = said(text);
  return redacted === text ? quotation : JSON.stringify(redacted);
}

function readString(quotation: string): string | undefined {
  try {
    return String(JSON.parse(quotation));
  } catch {
    return undefined;
  }
}

/** Returns what puts `by` in the place of secrets, whatever encoding they stand in. */
export function hiding(secrets: readonly string[], by: string): Redact {
  return replacing(secrets, spelling, by);
}

function replacing(
  secrets: readonly string[],
  sourceOf: (secret: string) => string,
  by = KEY_PLACEHOLDER,
): Redact {
  const present = [...new Set(secrets)].filter((secret) => secret !== '');
  if (present.length === 0) return (text) => text;
  const sources = present.toSorted((a, b) => b.length - a.length).map(sourceOf);
  const kept = by === '' ? [] : [asItIs(by)];
  const pattern = new RegExp([...kept, ...sources].join('|'), 'g');
  // Next to no text holds a key, and to look for what stands in its spellings takes less than the pattern.
  const signs = [...new Set(present.flatMap(signsOf))];
  return (text) => (signs.some((sign) => text.includes(sign)) ? text.replace(pattern, by) : text);
}

/** Redacts every string inside a JSON value; names of fields, numbers and booleans stay. */
export function redactDeep<T>(value: T, redact: Redact): T {
  return redactValue(value, redact, (name) => name) as T;
}

/** The same for what a service said, whose names of fields may hold a key too. */
export function redactJson(value: unknown, redact: Redact): unknown {
  return redactValue(value, redact, redact);
}

function redactValue(value: unknown, redact: Redact, rename: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => redactValue(each, redact, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [rename(name), redactValue(each, redact, rename)]),
  );
}

/** A pattern of a key as programs write it: each letter in any of its escapes, or all in base64 or hex from 4 bytes on. */
function spelling(apiKey: string): string {
  const letters = (apiKey.match(/\\+|./gsu) ?? []).map(partOf).join('');
  return `(?:${[letters, ...wholesOf(apiKey).map(asItIs)].join('|')})`;
}

/** A pattern of one letter, or of backslashes in a row: doubled or not, they are told apart by none. */
function partOf(part: string): string {
  const [letter = '', ...more] = part;
  if (letter !== '\\') return `(?:${escapesOf(part).join('|')})`;
  const count = 1 + more.length;
  const escapes = escapesOf(letter).filter((each) => !/^\\+$/.test(each));
  return `(?:\\\\{${count},${2 * count}}|(?:${escapes.join('|')}){${count}})`;
}

/**
 * A letter as a JSON string, HTML, a URL or form data may hold it, and read as
 * Latin-1: no two programs escape the same ones, nor in the same case of hex digits.
 */
function escapesOf(letter: string): readonly string[] {
  const bytes = [...Buffer.from(letter)].map((byte) => byte.toString(16).padStart(2, '0'));
  const units = letter.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const code = letter.codePointAt(0) ?? 0;
  return [
    asItIs(letter),
    asItIs(JSON.stringify(letter).slice(1, -1)),
    units.map((unit) => `\\\\u${anyCase(unit)}`).join(''),
    bytes.map((byte) => `%(?:25)*${anyCase(byte)}`).join(''),
    `&#0*${code};`,
    `&#[xX]0*${anyCase(code.toString(16))};`,
    asItIs(Buffer.from(letter).toString('latin1')),
    ...(SHORT_ESCAPES[letter] ?? []),
  ];
}

const SHORT_ESCAPES: Readonly<Record<string, readonly string[]>> = {
  '/': ['\\\\/'],
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  '"': ['&quot;'],
  "'": ['&apos;'],
};

/** Shorter pieces of base64 may stand in any text by chance. */
const TELLING_PIECE = 6;

/**
 * A key in hex; in base64 alone and after other bytes, where it begins at any of
 * three places of a group; and one that is no word, in one letter case.
 */
function wholesOf(apiKey: string): readonly string[] {
  const bytes = Buffer.from(apiKey);
  if (bytes.length < 4) return [];
  const hex = bytes.toString('hex');
  const pieces = [0, 1, 2].map((before) => pieceOfBase64(bytes, before));
  const base64 = [bytes.toString('base64').replace(/=+$/, ''), ...pieces.filter(isLong)];
  const cases = isTelling(apiKey) ? [apiKey.toLowerCase(), apiKey.toUpperCase()] : [];
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([...base64, ...urlSafe, hex, hex.toUpperCase(), ...cases])];
}

/** Returns the letters of base64 that some bytes alone decide, after `before` bytes of a group. */
function pieceOfBase64(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

function isLong(piece: string): boolean {
  return piece.length >= TELLING_PIECE;
}

/** Texts of which one stands in every text that holds a spelling of a key. */
function signsOf(apiKey: string): readonly string[] {
  const latin1 = Buffer.from(apiKey).toString('latin1');
  const plus = apiKey.includes(' ') ? ['+'] : [];
  return ['\\', '%', '&', ...plus, apiKey, latin1, ...wholesOf(apiKey)];
}

/** A pattern of a text with no letter escaped; form data have a plus sign for a space. */
function asItIs(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll(' ', '[ +]');
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
