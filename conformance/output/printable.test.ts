import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { printable, printableLines } from './printable.ts';

describe('printable', () => {
  test('control, separator and bidirectional characters -> escapes', () => {
    expect(printable('a\u001b[31m\n\t\r\u0000\u2028\u202e\ufeff\ud800z')).toBe(
      'a\\u{1b}[31m\\n\\t\\r\\u{0}\\u{2028}\\u{202e}\\u{feff}\\u{d800}z',
    );
  });

  test('commands to a CI system -> escapes; other colons and number signs -> unchanged', () => {
    expect(printable('a ##[error]b ##vso[task.x]')).toBe('a \\u{23}#[error]b \\u{23}#vso[task.x]');
    expect(printable(' ::add-mask::a')).toBe(' \\u{3a}:add-mask::a');
    expect(printableLines('a\n::error::b')).toBe('a\n\\u{3a}:error::b');
    expect(printable('::1 a::b ## c #[d]')).toBe('::1 a::b ## c #[d]');
  });

  test('letters of any script and emoji -> unchanged', () => {
    expect(printable('Ünïcode 代币 🦄')).toBe('Ünïcode 代币 🦄');
  });

  test('long text -> cut, followed by its length', () => {
    expect(printable('abcdef', 3)).toBe('abc… (6 characters)');
  });

  test('any text -> one line of well-formed text', () => {
    forAll([fc.string({ unit: 'binary' })], { seed: 1 }, (text) => {
      const line = printable(text);
      expect(line).not.toMatch(/[\n\r\u2028\u2029]|\p{Surrogate}/u);
    });
  });
});

describe('printableLines', () => {
  test('control characters -> escaped, except line breaks', () => {
    expect(printableLines('a\u0007\nb')).toBe('a\\u{7}\nb');
    expect(printableLines('abcdef', 3)).toBe('abc… (6 characters)');
  });
});
