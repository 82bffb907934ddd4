import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEY_PLACEHOLDER } from '../runner/session.ts';
import { createRedactor, redactDeep } from './redaction.ts';

const key = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 });
const encodings: ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  (text) => new URLSearchParams({ a: text }).toString().slice(2),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
];

describe('createRedactor', () => {
  test('a key in any encoding, anywhere -> gone', () => {
    for (const encode of encodings) {
      fc.assert(
        fc.property(key, fc.string(), (apiKey, around) => {
          const encoded = encode(apiKey);
          const redacted = createRedactor(apiKey)(`${around} ${encoded} ${around}`);
          expect(redacted.split(KEY_PLACEHOLDER).join('\n')).not.toContain(encoded);
        }),
        { seed: 1 },
      );
    }
  });

  test('redacted twice -> the same, even if the key is a part of the placeholder', () => {
    for (const apiKey of ['KEY', 'API', '$', 'secret']) {
      const redact = createRedactor(apiKey);
      expect(redact(redact(`a=${apiKey}`))).toBe(`a=${KEY_PLACEHOLDER}`);
    }
  });

  test('no key -> nothing changes', () => {
    expect(createRedactor('')('text')).toBe('text');
    expect(createRedactor(undefined)('text')).toBe('text');
  });
});

describe('redactDeep', () => {
  test('strings at any depth -> redacted, the rest stays', () => {
    expect(redactDeep({ k3y: [{ a: 'k3y!' }, 3, null] }, createRedactor('k3y'))).toEqual({
      k3y: [{ a: `${KEY_PLACEHOLDER}!` }, 3, null],
    });
  });
});
