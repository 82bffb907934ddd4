/** Start and end of a match, in UTF-16 code units of the searched text. */
export type Span = readonly [start: number, end: number];

/**
 * Returns the matches in a text, ordered by their ends. Overlapping matches are merged into one.
 */
export type Search = (text: string) => readonly Span[];

const MAX_NATIVE_SEARCH_CHARACTERS = 16;

/**
 * Returns a search for a literal text, in time linear in the searched text. A plus sign and a space
 * match each other, as in form data.
 */
export function findText(pattern: string): Search {
  const units = Array.from({ length: pattern.length }, (_, i) => unitAt(pattern, i));
  const createMatcher = matcherFactory(units);
  const [longest = ''] = pattern.split(/[ +]/).toSorted((a, b) => b.length - a.length);
  const head = longest.slice(0, MAX_NATIVE_SEARCH_CHARACTERS);
  return (text) => {
    if (!text.includes(head)) return [];
    const feed = createMatcher();
    const found: Span[] = [];
    for (let i = 0; i < text.length; i++) {
      const start = feed(unitAt(text, i), i);
      if (start !== undefined) addSpan(found, start, i + 1);
    }
    return found;
  };
}

/**
 * Returns a search for a text in which at least one letter is escaped. Each letter may be escaped
 * in its own way: as in JSON, a string of a programming language, HTML or a URL, with hex digits in
 * either case. Percent signs may be encoded any number of times. The search ignores backslashes,
 * since programs double them. It takes time linear in the searched text.
 */
export function findEscaped(pattern: string): Search {
  const units: number[] = [];
  feedDecodedBytes(pattern, ESCAPES, (unit) => units.push(unit));
  const createMatcher = matcherFactory(units);
  const searchIn = (text: string, reading: Reading): readonly Span[] => {
    const feed = createMatcher();
    const found: Span[] = [];
    let latestEscape = -1;
    feedDecodedBytes(text, reading, (unit, tokenStart, end, isEscape) => {
      if (isEscape) latestEscape = tokenStart;
      const start = feed(unit, tokenStart);
      if (start !== undefined && start <= latestEscape) addSpan(found, start, end);
    });
    return found;
  };
  return (text) =>
    READINGS.filter(({ marks }) => marks.test(text)).flatMap((reading) => searchIn(text, reading));
}

/** The parts of a match are joined: programs wrap base64 at 64 or 76 characters. */
const LINE_BREAKS =
  /(?:[\r\n]|\\{1,64}[rn]|\\{1,64}u000[ad]|%(?:25){0,64}0[ad]){1,64}[ \t]{0,64}/gi;

/**
 * Returns a search for texts with at least one line break in them, escaped or not. It takes time
 * linear in the searched text.
 */
export function findWrapped(patterns: readonly string[]): Search {
  const matchers = patterns.map((pattern) => ({
    pattern,
    create: matcherFactory(Array.from(pattern, (_, i) => unitAt(pattern, i))),
  }));
  return (text) => {
    const joined = text.replace(LINE_BREAKS, '');
    if (joined.length === text.length) return [];
    return matchers
      .filter(({ pattern }) => joined.includes(pattern))
      .flatMap(({ create }) => searchLines(text, create()));
  };
}

function searchLines(
  text: string,
  feed: ReturnType<ReturnType<typeof matcherFactory>>,
): readonly Span[] {
  const found: Span[] = [];
  const end = { index: text.length, 0: '' };
  let lineStart = 0;
  for (const { index, 0: lineBreak } of [...text.matchAll(LINE_BREAKS), end]) {
    for (let i = lineStart; i < index; i++) {
      const start = feed(unitAt(text, i), i);
      if (start !== undefined && start < lineStart) addSpan(found, start, i + 1);
    }
    lineStart = index + lineBreak.length;
  }
  return found;
}

/** Appends a span or, if it overlaps the last span, extends that span. */
export function addSpan(spans: Span[], start: number, end: number): void {
  const last = spans.at(-1);
  if (last === undefined || start >= last[1]) spans.push([start, end]);
  else spans[spans.length - 1] = [Math.min(last[0], start), Math.max(last[1], end)];
}

/**
 * Uses the Knuth-Morris-Pratt algorithm, since one regular expression for all escapes of a key has
 * two defects: V8 rejects it as too large for 4,096 letters, and for a key that repeats one letter
 * its time is the product of the lengths of key and text. A matcher receives one unit at a time,
 * with its place. At the last unit of a match, the matcher returns the place of the first unit. An
 * empty pattern never matches.
 */
function matcherFactory(pattern: readonly number[]) {
  const borders = bordersOf(pattern);
  return () => {
    const latestPlaces = new Int32Array(pattern.length);
    let fed = 0;
    let matched = 0;
    return (unit: number, place: number): number | undefined => {
      if (pattern.length === 0) return undefined;
      latestPlaces[fed++ % pattern.length] = place;
      while (matched > 0 && pattern[matched] !== unit) matched = borders[matched - 1] ?? 0;
      if (pattern[matched] === unit) matched++;
      if (matched < pattern.length) return undefined;
      matched = borders[matched - 1] ?? 0;
      return latestPlaces[fed % pattern.length];
    };
  };
}

/**
 * For each prefix of the pattern, returns the length of its longest proper prefix that is also its
 * suffix.
 */
function bordersOf(pattern: readonly number[]): Int32Array {
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let i = 1; i < pattern.length; i++) {
    while (length > 0 && pattern[i] !== pattern[length]) length = borders[length - 1] ?? 0;
    if (pattern[i] === pattern[length]) length++;
    borders[i] = length;
  }
  return borders;
}

const SPACE = 0x20;
const PLUS = 0x2b;
const BACKSLASH = 0x5c;

function unitAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit === PLUS ? SPACE : unit;
}

/** Names of ASCII characters in HTML, and the characters. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', excl: '!', num: '#' },
  ...{ dollar: '$', percnt: '%', lpar: '(', rpar: ')', ast: '*', plus: '+', comma: ',' },
  ...{ period: '.', sol: '/', colon: ':', semi: ';', equals: '=', quest: '?', commat: '@' },
  ...{ lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', hat: '^', lowbar: '_' },
  ...{ grave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', rcub: '}', rbrace: '}' },
};

/** A way to read escapes. Two programs may mean different characters by the same escape. */
type Reading = {
  /** Matches any text that contains such escapes. */
  readonly marks: RegExp;
  readonly escapes: RegExp;
  /** A hex or octal escape above 127 is a byte of UTF-8, or a code point. */
  readonly highAs?: 'byte' | 'code point';
};

/**
 * Matches JSON escapes (including surrogate pairs), other backslash escapes, percent-encoded bytes
 * and character references. Every repetition is bounded, so matching takes linear time for any
 * text.
 */
function escapes(hexOrOctal: string): RegExp {
  const alternatives = [
    String.raw`\\{1,64}u(?<high>d[89ab][0-9a-f]{2})\\{1,64}u(?<low>d[c-f][0-9a-f]{2})`,
    String.raw`\\{1,64}u(?<unit>[0-9a-f]{4})`,
    String.raw`\\{1,64}u\{0{0,64}(?<braced>[0-9a-f]{1,6})\}`,
    hexOrOctal,
    String.raw`\\{1,64}(?<letter>[^\\%&])?`,
    '%(?:25){0,64}(?<byte>[0-9a-f]{2})',
    String.raw`&#0{0,64}(?<decimal>\d{1,7});?`,
    '&#x0{0,64}(?<hex>[0-9a-f]{1,6});?',
    `&(?<named>${Object.keys(NAMED).join('|')});`,
  ];
  return new RegExp(alternatives.filter((each) => each !== '').join('|'), 'giu');
}

const ESCAPES: Reading = { marks: /[\\%&]/, escapes: escapes('') };
const HEX = {
  marks: /\\x[0-9a-f]{2}/i,
  escapes: escapes(String.raw`\\{1,64}x(?<short>[0-9a-f]{2})`),
};
const OCTAL: Reading = {
  marks: /\\[0-3][0-7]{2}/,
  escapes: escapes(String.raw`\\{1,64}(?<octal>[0-3][0-7]{2})`),
  highAs: 'byte',
};
const READINGS: readonly Reading[] = [
  ESCAPES,
  { ...HEX, highAs: 'byte' },
  { ...HEX, highAs: 'code point' },
  OCTAL,
];

type Feed = (unit: number, start: number, end: number, isEscape: boolean) => void;

function feedDecodedBytes(text: string, reading: Reading, feed: Feed): void {
  const feedCode = (code: number, start: number, end: number, isEscape: boolean) => {
    if (code === BACKSLASH) return;
    if (code === PLUS) feed(SPACE, start, end, isEscape);
    else if (code < 0x80) feed(code, start, end, isEscape);
    else for (const byte of utf8Of(code)) feed(byte, start, end, isEscape);
  };
  const feedPlain = (from: number, to: number) => {
    for (let at = from; at < to; ) {
      const code = text.codePointAt(at) ?? 0;
      const end = at + (code > 0xffff ? 2 : 1);
      feedCode(code, at, end, false);
      at = end;
    }
  };
  let doneTo = 0;
  for (const match of text.matchAll(reading.escapes)) {
    const start = match.index;
    const end = start + match[0].length;
    feedPlain(doneTo, start);
    doneTo = end;
    const escaped = readEscape(match, reading);
    if (escaped?.kind === 'byte' && escaped.value >= 0x80) feed(escaped.value, start, end, true);
    else if (escaped !== undefined) feedCode(escaped.value, start, end, true);
  }
  feedPlain(doneTo, text.length);
}

type Escaped = { readonly kind: 'byte' | 'code point'; readonly value: number };

function readEscape(
  { groups = {} }: RegExpExecArray,
  { highAs = 'byte' }: Reading,
): Escaped | undefined {
  const { high, low, unit, braced, short, octal, letter, byte, decimal, hex, named } = groups;
  const codePoint = (value = 0): Escaped => ({ kind: 'code point', value });
  if (high !== undefined && low !== undefined) {
    return codePoint(String.fromCharCode(fromHex(high), fromHex(low)).codePointAt(0));
  }
  if (byte !== undefined) return { kind: 'byte', value: fromHex(byte) };
  if (short !== undefined) return { kind: highAs, value: fromHex(short) };
  if (octal !== undefined) return { kind: highAs, value: Number.parseInt(octal, 8) };
  if (decimal !== undefined) return codePoint(Number(decimal));
  if (named !== undefined) return codePoint(NAMED[named.toLowerCase()]?.codePointAt(0));
  const digits = unit ?? braced ?? hex;
  if (digits !== undefined) return codePoint(fromHex(digits));
  return letter === undefined ? undefined : codePoint(letter.codePointAt(0));
}

function fromHex(digits: string): number {
  return Number.parseInt(digits, 16);
}

const MAX_CODE_POINT = 0x10ffff;

function utf8Of(code: number): Iterable<number> {
  return Buffer.from(String.fromCodePoint(Math.min(code, MAX_CODE_POINT)));
}
