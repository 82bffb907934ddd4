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
  const telling = replacing(keys.filter(isTelling).flatMap(spellingsOf));
  const said = replacing(keys.flatMap(spellingsOf));
  // No word of ours is spelled like this, whatever the key is.
  const encoded = replacing(
    keys.flatMap((key) => spellingsOf(key).filter((each) => each.length > key.length)),
  );
  const plain = keys.filter((key) => !isTelling(key));
  const byChance = replacing(plain.flatMap(spellingsOf));
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
  const spellings = spellingsOf(apiKey);
  return apiKey.length < 4
    ? spellings.includes(value)
    : spellings.some((spelling) => value.includes(spelling));
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
  return replacing(secrets.flatMap(spellingsOf), by);
}

function replacing(spellings: readonly string[], by = KEY_PLACEHOLDER): Redact {
  if (spellings.length === 0) return (text) => text;
  const pattern = new RegExp(
    [by, ...[...new Set(spellings)].sort((a, b) => b.length - a.length)]
      .filter((text) => text !== '')
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('|'),
    'g',
  );
  // Next to no text holds a key, and to look for a mark that stands in its spellings takes less than the pattern.
  const signs = [...new Set(spellings.map((text) => /[\\%&]/.exec(text)?.[0] ?? text))];
  return (text) => (signs.some((sign) => text.includes(sign)) ? text.replace(pattern, by) : text);
}

/** Redacts every string inside a JSON value; names of fields, numbers and booleans stay. */
export function redactDeep<T>(value: T, redact: Redact): T {
  return redactValue(value, redact) as T;
}

function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => redactValue(each, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, redactValue(each, redact)]),
  );
}

/**
 * A key as it is, percent-encoded in either letter case, as form data, as a JSON
 * or HTML string, and from 4 bytes on in base64 and hex.
 */
function spellingsOf(apiKey: string): readonly string[] {
  const bytes = Buffer.from(apiKey);
  const percent = encodeURIComponent(apiKey);
  const everyByte = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const strictPercent = percent.replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const form = new URLSearchParams({ key: apiKey }).toString().slice('key='.length);
  const json = JSON.stringify(apiKey).slice(1, -1);
  const unicode = [...apiKey]
    .flatMap((letter) => letter.split(''))
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  const html = apiKey
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  const asciiJson = json.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const spellings = [
    apiKey,
    percent,
    strictPercent,
    lowerHex(percent),
    lowerHex(strictPercent),
    everyByte,
    everyByte.toUpperCase(),
    form,
    lowerHex(form),
    percent.replaceAll('%20', '+'),
    encodeURI(apiKey),
    json,
    json.replaceAll('/', '\\/'),
    asciiJson,
    unicode,
    html,
    html.replaceAll("'", '&#39;'),
    html.replaceAll("'", '&#x27;'),
  ];
  if (bytes.length >= 4) {
    const hex = bytes.toString('hex');
    spellings.push(
      base64,
      base64.replaceAll('+', '-').replaceAll('/', '_'),
      hex,
      hex.toUpperCase(),
    );
  }
  return [...new Set(spellings)];
}

function lowerHex(percentEncoded: string): string {
  return percentEncoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
}
