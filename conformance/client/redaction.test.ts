import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { createStepCounter, type StepCounter } from '../../fixtures/testing/growth.testing.ts';
import { createRedactor, isDistinctive, redactDeep } from './redaction.ts';
import { KEY_PLACEHOLDER } from './request.ts';

const key = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 });
const hexOf = (code: number) => code.toString(16);
const codeOf = (letter: string) => letter.codePointAt(0) ?? 0;
const encodings: ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  (text) => new URLSearchParams({ a: text }).toString().slice(2),
  (text) => JSON.stringify(text).slice(1, -1),
  // .NET encodes text like this in JSON and HTML. So does a proxy that encodes twice.
  (text) =>
    text.replace(
      /[^\w .-]/g,
      (unit) => `\\u${hexOf(unit.charCodeAt(0)).toUpperCase().padStart(4, '0')}`,
    ),
  (text) => text.replace(/[^\w .-]/gu, (letter) => `&#x${hexOf(codeOf(letter)).toUpperCase()};`),
  (text) => text.replace(/[^\w .-]/gu, (letter) => `&#${codeOf(letter)};`),
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => Buffer.from(text).toString('latin1'),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
];

const without = (text: string) => text.split(KEY_PLACEHOLDER).join('\n');
const anyKey = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });

describe('createRedactor', () => {
  test('a key in any encoding, in service text and quoted in a sentence -> removed', () => {
    for (const encode of encodings) {
      forAll([key, fc.string()], { seed: 1 }, (apiKey, around) => {
        const encoded = encode(apiKey);
        const { redactText, redactSentence } = createRedactor(apiKey);
        expect(without(redactText(`${around} ${encoded} ${around}`))).not.toContain(encoded);
        const quoted = JSON.stringify(`${around}${encoded}${around}`);
        const redacted = redactSentence(`expected 1 of ${quoted}, not 2`);
        expect(without(redacted)).not.toContain(JSON.stringify(encoded).slice(1, -1));
      });
    }
  });

  test('a key in base64 among other bytes, or in lower or upper case -> removed', () => {
    const apiKey = 'k3y/of+the caller?>';
    const { redactText } = createRedactor(apiKey);
    for (const around of ['', 'a', 'ab', 'abc', 'abcd', 'Basic user:']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${around}${apiKey}${around}`).toString(encoding);
        const left = without(redactText(text)).replace('\n', '');
        // Only the surrounding bytes remain, with less than one byte of the key at each end.
        expect(text.length - left.length).toBeGreaterThanOrEqual(
          Math.floor((apiKey.length * 8 - 10) / 6),
        );
      }
    }
    expect(redactText(`${apiKey.toUpperCase()} ${apiKey.toLowerCase()}`)).toBe(
      `${KEY_PLACEHOLDER} ${KEY_PLACEHOLDER}`,
    );
  });

  test.each(['Swap', '1234', 'demo', 'Token'])(
    'the key %s -> text without it is unchanged',
    (apiKey) => {
      const others = fc
        .stringMatching(/^[ 0-9a-f{}":,x]*$/)
        .filter((text) => !text.includes(apiKey));
      forAll([others], { seed: 1 }, (text) => {
        expect(createRedactor(apiKey).redactText(text)).toBe(text);
      });
      expect(createRedactor(apiKey).redactText('{"b":"SWAP swap TOKEN token DEMO"}')).toBe(
        '{"b":"SWAP swap TOKEN token DEMO"}'.replaceAll(apiKey, KEY_PLACEHOLDER),
      );
    },
  );

  test.each([
    ['k', 'chunked k, "k" apiKey=k&k=k', 'chunked KEY, "KEY" apiKey=KEY&KEY=KEY'],
    ['1', '0x1 101 {"a":1,"b":"1"} 1.5', '0x1 101 {"a":KEY,"b":"KEY"} KEY.5'],
    [
      'of',
      'offer of sofa %6ffer %20of%20 x\\u0020of',
      'offer KEY sofa %6ffer %20KEY%20 x\\u0020KEY',
    ],
    ['é', 'café %C3%A9 \\u00e9té', 'café KEY \\u00e9té'],
    ['demo', 'x-demo1', 'x-KEY1'],
  ])('the short key %s in %j -> only whole words: %j', (apiKey, text, expected) => {
    expect(createRedactor(apiKey).redactText(text)).toBe(
      expected.replaceAll('KEY', KEY_PLACEHOLDER),
    );
  });

  test.each(['a', '1', '00000000', 'swap', 'default-router', 'of', ',', ' '])(
    "the key %j -> the service's words are redacted, but ours are not",
    (apiKey) => {
      const { redactText, redactSentence } = createRedactor(apiKey);
      const ours = 'a swap of 100000000, as default-router says: ';
      expect(redactSentence(ours)).toBe(ours);
      expect(redactSentence(`${ours}${JSON.stringify(`(${apiKey})`)} and ${ours}`)).toBe(
        `${ours}"(${KEY_PLACEHOLDER})" and ${ours}`,
      );
      expect(redactText(`(${apiKey})`)).toBe(`(${KEY_PLACEHOLDER})`);
    },
  );

  test('any key in a truncated quotation -> removed', () => {
    forAll([anyKey], { seed: 1 }, (apiKey) => {
      const cut = JSON.stringify(`said ${apiKey} and`).slice(0, -1);
      const redacted = createRedactor(apiKey).redactSentence(`Actual: ${cut}`);
      const [, quoted = ''] = without(redacted).split('Actual: "');
      expect(quoted).not.toContain(JSON.stringify(apiKey).slice(1, -1));
    });
  });

  test('a key that is not a word -> removed everywhere, quoted or not', () => {
    forAll([key.filter(isDistinctive), fc.string()], { seed: 1 }, (apiKey, around) => {
      const { redactSentence, redactTarget } = createRedactor(apiKey);
      expect(without(redactSentence(`${around}${apiKey}${around}`))).not.toContain(apiKey);
      expect(without(redactTarget(`/p?a=${apiKey}`))).not.toContain(apiKey);
    });
  });

  test.each([
    ['demo', '/api/v1.0/swap?sellToken=demo&a=b', '/api/v1.0/swap?sellToken=KEY&a=b'],
    ['demo', '/api/v1.0/swap?sellToken=x-demo-y&a=b', '/api/v1.0/swap?sellToken=KEY&a=b'],
    ['a', '/api/v1.0/swap?sellToken=0xab&a=a', '/api/v1.0/swap?sellToken=0xab&a=KEY'],
    ['1', '/api/v1.0/tokens?chainId=31337&b=1', '/api/v1.0/tokens?chainId=31337&b=KEY'],
    ['swap', '/api/v1.0/swap?swap=%73%77%61%70', '/api/v1.0/swap?swap=KEY'],
  ])('the key %j in %s -> only in values: %s', (apiKey, target, expected) => {
    expect(createRedactor(apiKey).redactTarget(target)).toBe(
      expected.replace('KEY', KEY_PLACEHOLDER),
    );
  });

  test('a key with many backslashes, doubled or not -> removed; a text with more backslashes -> unchanged', () => {
    const apiKey = `${'\\'.repeat(60)}end${'\\'.repeat(60)}x`;
    const { redactText } = createRedactor(apiKey);
    for (const written of [
      apiKey,
      JSON.stringify(apiKey).slice(1, -1),
      encodeURIComponent(apiKey),
    ]) {
      expect(redactText(`(${written})`)).toBe(`(${KEY_PLACEHOLDER})`);
    }
    const others = `${'\\'.repeat(100)}end${'\\'.repeat(500)}y`;
    expect(redactText(others)).toBe(others);
  });

  test('every prefix of a key, echoed many times -> unchanged, in linear time', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
    for (const apiKey of [
      Array.from({ length: 200 }, (_, i) => letters[(i * i) % 36]).join(''),
      `${'a'.repeat(195)}bcdef`,
      `${'%2541'.repeat(39)}x9y8z`,
    ]) {
      const { redactText } = createRedactor(apiKey);
      for (let length = 1; length < apiKey.length; length++) {
        const text = `${apiKey.slice(0, length)}|`.repeat(20);
        expect(redactText(text)).toBe(text);
        expect(redactText(`${text}${apiKey}`)).toBe(`${text}${KEY_PLACEHOLDER}`);
      }
    }
  });

  test('a key that overlaps itself -> replaced once', () => {
    const { redactText } = createRedactor('abab');
    expect(redactText('xababab, abababab')).toBe(`x${KEY_PLACEHOLDER}, ${KEY_PLACEHOLDER}`);
  });

  test('a key whose letters are escaped in different ways -> removed', () => {
    const { redactText } = createRedactor('k3y/of+the "caller" é\u{1f511}');
    const written = 'k\\u0033y\\/%6ff%252Bthe%20&quot;c&#97;ller\\\\\\"+%c3%A9\\uD83D\\udd11';
    expect(redactText(`(${written})`)).toBe(`(${KEY_PLACEHOLDER})`);
  });

  const bytesAs = (format: (byte: number) => string) => (text: string) =>
    [...Buffer.from(text)]
      .map((byte) =>
        byte < 0x80 && /\w/.test(String.fromCharCode(byte))
          ? String.fromCharCode(byte)
          : format(byte),
      )
      .join('');
  const hex = (byte: number) => byte.toString(16).padStart(2, '0');

  test.each<[string, (text: string) => string]>([
    ['bytes of Python', bytesAs((byte) => `\\x${hex(byte)}`)],
    ['bytes of Python, in JSON', bytesAs((byte) => `\\\\x${hex(byte)}`)],
    ['octal bytes of C', bytesAs((byte) => `\\${byte.toString(8).padStart(3, '0')}`)],
    [
      'a string of JavaScript',
      (text) =>
        text.replace(/[^\w]/gu, (letter) =>
          codeOf(letter) < 256 ? `\\x${hex(codeOf(letter))}` : `\\u{${hexOf(codeOf(letter))}}`,
        ),
    ],
    ['entities', (text) => text.replace(/./gu, (letter) => `&#${codeOf(letter)};`)],
    [
      'entities without semicolons',
      (text) => text.replace(/./gu, (letter) => `&#${codeOf(letter)}`),
    ],
    [
      'hex entities without semicolons',
      (text) => text.replace(/./gu, (letter) => `&#X${hexOf(codeOf(letter))}`),
    ],
    ['named entities', (text) => text.replaceAll('/', '&sol;').replaceAll('+', '&plus;')],
    ...['\n', '\r\n', '\\n', '\\r\\n', '\n\t', '%0D%0A', '\\u000a'].map(
      (lineBreak): [string, (text: string) => string] => [
        `base64 wrapped by ${JSON.stringify(lineBreak)}`,
        (text) =>
          Buffer.from(`user:${text}, and more`)
            .toString('base64')
            .replace(/.{8}(?!$)/g, `$&${lineBreak}`),
      ],
    ),
  ])('a key as %s -> removed', (_, encode) => {
    for (const apiKey of ['k3y/of+the-caller?>9', 'ключ/2024+é\u{1f511}']) {
      const encoded = encode(apiKey);
      const written = encoded.startsWith('dXN') ? encoded.slice(8, 24) : encoded;
      const redacted = createRedactor(apiKey).redactText(`a "${encoded}" b`);
      expect(redacted).toContain(KEY_PLACEHOLDER);
      expect(redacted).not.toContain(written);
    }
  });

  test('line breaks between words, and escapes of other characters -> unchanged', () => {
    const { redactText } = createRedactor('k3y/of+the-caller?>9');
    const text = 'k3y/of\n+the-caller?>9 \\x6b\\063 &plus;&#107 \u{6b}';
    expect(redactText(text)).toBe(text);
  });

  test('several keys -> all removed', () => {
    const { redactText, redactSentence } = createRedactor('a', 'secret-key-0815', undefined, '');
    expect(redactText('b a secret-key-0815')).toBe(`b ${KEY_PLACEHOLDER} ${KEY_PLACEHOLDER}`);
    expect(redactSentence('a "a" secret-key-0815')).toBe(
      `a "${KEY_PLACEHOLDER}" ${KEY_PLACEHOLDER}`,
    );
  });

  test('redacting twice -> the same text, even if the key is part of the placeholder', () => {
    for (const apiKey of ['KEY', 'API', '$', 'secret']) {
      const { redactText, redactSentence } = createRedactor(apiKey);
      expect(redactText(redactText(`a=${apiKey}`))).toBe(`a=${KEY_PLACEHOLDER}`);
      expect(redactSentence(redactSentence(`"${apiKey}"`))).toBe(`"${KEY_PLACEHOLDER}"`);
    }
  });

  test('no key -> unchanged', () => {
    for (const { redactText, redactSentence, redactTarget } of [
      createRedactor(''),
      createRedactor(undefined),
    ]) {
      expect([redactText, redactSentence, redactTarget].map((redact) => redact('"text"'))).toEqual(
        Array(3).fill('"text"'),
      );
    }
  });
});

describe('isDistinctive', () => {
  test.each(['3f9c1e70', 'k3y/of+the caller', '0190b6d2-6c1f-7a35-9f10-2f6f0a1c5b7e', 'ключ-2024'])(
    '%s -> never appears by chance',
    (apiKey) => {
      expect(isDistinctive(apiKey)).toBe(true);
    },
  );

  test.each(['demo', '1234567', '00000000', '1010101010101010', 'swapcheck', 'default-router'])(
    '%s -> may appear by chance',
    (apiKey) => {
      expect(isDistinctive(apiKey)).toBe(false);
    },
  );
});

describe('redactDeep', () => {
  test('strings at any depth -> redacted, the rest unchanged', () => {
    expect(redactDeep({ k3y: [{ a: 'k3y!' }, 3, null] }, createRedactor('k3y').redactText)).toEqual(
      {
        k3y: [{ a: `${KEY_PLACEHOLDER}!` }, 3, null],
      },
    );
  });
});

describe('a long text that repeats the start of a long key', () => {
  let counter: StepCounter;
  let redaction: typeof import('./redaction.ts');
  beforeAll(async () => {
    counter = createStepCounter();
    redaction = await counter.load(() => import('./redaction.ts'));
  });
  afterAll(() => counter.stop());

  test.each(
    [
      '\\',
      '%25',
      '%',
      '&#0',
      '\\ud83d',
      '\\x61',
      '\\141',
      '\n',
      '%0a',
      'a',
      'a\\',
      ' ',
      '"',
      '=',
    ].flatMap((piece) => ['a', '%25'].map((start) => [piece, start] as const)),
  )('of %j, a key of %j -> unchanged, in steps linear in both', (piece, start) =>
    counter.expectLinear((size) => {
      const text = piece.repeat(4 * size);
      const key = `${start.repeat(size / start.length)}bcdefgh`;
      const { redactText, redactSentence, redactTarget } = redaction.createRedactor(key, 'a?');
      return () => {
        expect(redactText(text)).toBe(text);
        expect(redactSentence(text)).toBe(text);
        expect(redactTarget(`/p?a=${text}`)).toBe(`/p?a=${text}`);
      };
    }, 480),
  );
});
