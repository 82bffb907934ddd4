import { KEY_PLACEHOLDER } from '../runner/session.ts';

/** Replaces the API key in a text by `$SWAPCHECK_API_KEY`, whatever encoding it stands in. */
export type Redact = (text: string) => string;

/**
 * A redactor for one key: as it is, percent-encoded in either letter case, as
 * form data, as a JSON or HTML string, and from 4 bytes on in base64 and hex.
 *
 * @example createRedactor('a&b')('?apiKey=a%26b') // '?apiKey=$SWAPCHECK_API_KEY'
 */
export function createRedactor(apiKey: string | undefined): Redact {
  if (apiKey === undefined || apiKey === '') return (text) => text;
  const spellings = spellingsOf(apiKey);
  const pattern = new RegExp(
    [KEY_PLACEHOLDER, ...spellings]
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('|'),
    'g',
  );
  return (text) => text.replace(pattern, KEY_PLACEHOLDER);
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

/** Longest first, so that no spelling hides a part of another. */
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
  return [...new Set(spellings)].sort((a, b) => b.length - a.length);
}

function lowerHex(percentEncoded: string): string {
  return percentEncoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
}
