import { MIN_SEARCHED_CHARACTERS } from './api-key.ts';
import {
  addSpan,
  findEscaped,
  findText,
  findWrapped,
  type Search,
  type Span,
} from './find-secret.ts';
import { KEY_PLACEHOLDER } from './request.ts';

/** Replaces the API key in a text, in any encoding, with `$SWAPCHECK_API_KEY`. */
export type Redact = (text: string) => string;

/**
 * Removes API keys from all output. Our own sentences are redacted differently from text of the
 * service, since removing a key such as `a` or `swap` would garble our words.
 */
export type Redactor = {
  /**
   * For text from the service: bodies, headers and names. Replaces every form of the key, but only
   * whole words if the key is short.
   */
  readonly redactText: Redact;
  /** For judged replies. Replaces only secrets that cannot appear by chance. */
  readonly redactJudged: Redact;
  /**
   * For our own sentences, which quote the service in JSON strings. Redacts only these quotations.
   */
  readonly redactSentence: Redact;
  /**
   * For a path and query. A key that may appear by chance is redacted only in parameter values,
   * since these may come from the service. The names are ours.
   */
  readonly redactTarget: Redact;
  /**
   * Returns whether text from a service contains a key that may appear there by chance (see
   * `isDistinctive`).
   */
  readonly mayGarble: (text: string) => boolean;
};

/** Maximum length of an API key. Longer keys are rejected before a run. */
export const MAX_KEY_CHARACTERS = 4_096;

/** A secret, and the placeholder that replaces it. */
export type Hidden = { readonly text: string; readonly by: string };

/** Returns a redactor for the given keys and other secrets. Ignores undefined and empty secrets. */
export function createRedactor(...apiKeys: readonly (string | undefined | Hidden)[]): Redactor {
  const keys = secretsIn(apiKeys);
  const plain = keys.filter(({ text }) => !isDistinctive(text));
  const redactDistinctive = createReplacer(keys.filter(({ text }) => isDistinctive(text)));
  const redactText = createReplacer(keys);
  // The encoded forms of a key cannot match our own words.
  const encoded = createReplacer(keys.map((key) => ({ ...key, plain: [] })));
  const byChance = createReplacer(plain);
  return {
    redactText,
    redactJudged: redactDistinctive,
    redactSentence: (text) =>
      redactDistinctive(
        text.replace(/"(?:[^"\\]|\\.)*"?|[^"]+/g, (part) =>
          part.startsWith('"') ? redactQuotation(part, redactText) : encoded(part),
        ),
      ),
    redactTarget: (text) =>
      plain.length === 0
        ? redactDistinctive(text)
        : redactDistinctive(text).replace(
            /(?<=[?&][^=&]*=)[^&]+/g,
            (value) => plain.find((key) => isValueOf(value, key))?.by ?? value,
          ),
    mayGarble: (text) => byChance(text) !== text,
  };
}

/** Shorter keys may appear in any text by chance, and so may plain words and repeated digits. */
const MIN_DISTINCTIVE_LENGTH = 8;
const MIN_DISTINCTIVE_LETTERS = 5;
const MAX_WORD_LENGTH = 16;

/**
 * Returns whether a key is so unlikely to appear by chance that any occurrence is an echo. Such a
 * key can be removed from a body before the body is judged.
 *
 * @example isDistinctive('3f9c1e70') // true
 * @example isDistinctive('00000000') // false
 */
export function isDistinctive(apiKey: string): boolean {
  const isWord = apiKey.length <= MAX_WORD_LENGTH && /^[a-z-]+$/i.test(apiKey);
  return (
    apiKey.length >= MIN_DISTINCTIVE_LENGTH &&
    new Set(apiKey).size >= MIN_DISTINCTIVE_LETTERS &&
    !isWord
  );
}

/** A short key may be part of a value by chance, so the whole value must match. */
function isValueOf(value: string, key: Secret): boolean {
  const spans = spansOf(key, value);
  return key.text.length < MIN_SEARCHED_CHARACTERS
    ? spans.some(([start, end]) => start === 0 && end === value.length)
    : spans.length > 0;
}

/**
 * The JSON of a quotation may add an encoding to the key, so the quotation is parsed first. A
 * truncated quotation is searched unchanged.
 */
function redactQuotation(quotation: string, redactText: Redact): string {
  const text = parseString(quotation);
  if (text === undefined) return `"${redactText(quotation.slice(1))}`;
  const redacted = redactText(text);
  return redacted === text ? quotation : JSON.stringify(redacted);
}

function parseString(quotation: string): string | undefined {
  try {
    return String(JSON.parse(quotation));
  } catch {
    return undefined;
  }
}

/** Returns a function that replaces secrets, in any encoding, with the given text. */
export function secretReplacer(secrets: readonly string[], by: string): Redact {
  return createReplacer(secretsIn(secrets.map((text) => ({ text, by }))));
}

function createReplacer(secrets: readonly Secret[]): Redact {
  const placeholders = [...new Set(secrets.map(({ by }) => by))];
  const searches = placeholders.filter((by) => by !== '').map(findText);
  const replaceBy = (text: string, by: string) => {
    const found = secrets.flatMap((secret) => (secret.by === by ? spansOf(secret, text) : []));
    if (found.length === 0) return text;
    // Placeholders from earlier redactions remain, even if a secret is part of one.
    const done = searches.flatMap((search) => search(text)).toSorted(([a], [b]) => a - b);
    return replaceSpans(text, outside(done, found), by);
  };
  return (text) => placeholders.reduce(replaceBy, text);
}

function outside(done: readonly Span[], spans: readonly Span[]): readonly Span[] {
  let next = 0;
  return spans
    .toSorted(([a], [b]) => a - b)
    .filter(([start, end]) => {
      while ((done[next]?.[1] ?? Number.POSITIVE_INFINITY) <= start) next++;
      const [doneStart, doneEnd] = done[next] ?? [end, end];
      return start < doneStart || end > doneEnd;
    });
}

function replaceSpans(text: string, spans: readonly Span[], by: string): string {
  const joined: Span[] = [];
  for (const [start, end] of spans) addSpan(joined, start, end);
  const parts: string[] = [];
  let doneTo = 0;
  for (const [start, end] of joined) {
    parts.push(text.slice(doneTo, start), by);
    doneTo = end;
  }
  return parts.join('') + text.slice(doneTo);
}

/** Redacts every string inside a JSON value. Field names, numbers and booleans are unchanged. */
export function redactDeep<T>(value: T, redact: Redact): T {
  return redactValue(value, redact, (name) => name) as T;
}

/** Redacts a JSON value from the service, including its field names. */
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

type Secret = Hidden & {
  readonly plain: readonly Search[];
  readonly escaped: readonly Search[];
};

function secretsIn(given: readonly (string | undefined | Hidden)[]): readonly Secret[] {
  const secrets = new Map<string, Secret>();
  for (const each of given) {
    const { text, by } = typeof each === 'object' ? each : { text: each, by: KEY_PLACEHOLDER };
    if (text === undefined || text === '' || secrets.has(text)) continue;
    const forms = [...formsOf(text)].filter((form) => form !== text);
    const wrapped = findWrapped(base64FormsOf(text));
    const escaped = [...forms.map(findText), wrapped, findEscaped(text)];
    secrets.set(text, { text, by, plain: [findText(text)], escaped });
  }
  return [...secrets.values()];
}

function spansOf({ text: key, plain, escaped }: Secret, text: string): readonly Span[] {
  const spans = [...plain, ...escaped].flatMap((search) => search(text));
  return key.length < MIN_SEARCHED_CHARACTERS
    ? spans.filter((span) => isWholeWord(text, span))
    : spans;
}

const WORD_BEFORE = /[\p{L}\p{N}_]$/u;
const WORD_AFTER = /^[\p{L}\p{N}_]/u;
/** An escape may end in letters or digits that are not part of a word. */
const ESCAPE_BEFORE = /(%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[a-z])$/i;
const MAX_ESCAPE_CHARACTERS = 6;

function isWholeWord(text: string, [start, end]: Span): boolean {
  const before = text.slice(Math.max(0, start - MAX_ESCAPE_CHARACTERS), start);
  const isInWord = WORD_BEFORE.test(before) && !ESCAPE_BEFORE.test(before);
  return !isInWord && !WORD_AFTER.test(text.slice(end, end + 2));
}

/** Shorter pieces of base64 may appear in any text by chance. */
const MIN_BASE64_PIECE = 6;

const MIN_BYTES_SEARCHED_IN_BASE64 = 4;

/**
 * Returns the forms in which common programs write a secret: unchanged, in JSON, in a URL, as UTF-8
 * misread as Latin-1, in hex, and in base64 at any offset. A secret that is not a word may also be
 * in lower or upper case.
 */
function formsOf(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(bytes.toString()),
    bytes.toString('latin1'),
  ];
  if (isDistinctive(secret)) forms.push(secret.toLowerCase(), secret.toUpperCase());
  if (bytes.length < MIN_BYTES_SEARCHED_IN_BASE64) return new Set(forms);
  const hex = bytes.toString('hex');
  return new Set([...forms, hex, hex.toUpperCase(), ...base64FormsOf(secret)]);
}

function base64FormsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  if (bytes.length < MIN_BYTES_SEARCHED_IN_BASE64) return [];
  const pieces = [0, 1, 2].map((before) => pieceOfBase64(bytes, before));
  const base64 = [
    bytes.toString('base64').replace(/=+$/, ''),
    ...pieces.filter(({ length }) => length >= MIN_BASE64_PIECE),
  ];
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...base64, ...urlSafe];
}

/**
 * Base64 encodes three bytes at a time, so the first and last letters also depend on neighboring
 * bytes.
 */
function pieceOfBase64(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
