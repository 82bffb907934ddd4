import { describe, expect, test } from 'vitest';
import { given } from '../model/golden-replies.testing.ts';
import { formatStatus } from './reply-status.ts';

describe('formatStatus', () => {
  const notJson = { kind: 'not-json', reason: 'none' } as const;
  test.each([
    ['200', '[]', { kind: 'json', value: [] }],
    ['401 "UNKNOWN_KEY"', '', { kind: 'json', value: { error: 'UNKNOWN_KEY' } }],
    ['401 with "[5]"', '[5]', { kind: 'json', value: [5] }],
    ['401 without a body', '', notJson],
    ['401 with HTML', ' <!doctype html>', notJson],
    ['401 with "no such key"', 'no such key', notJson],
  ] as const)('%s', (words, text, document) => {
    const { exchange, reply } = given(undefined, { status: Number(words.slice(0, 3)) });
    const outcome = { ...reply, text, document: { duplicateKeys: [], ...document } };
    expect(formatStatus({ ...exchange, outcome: outcome as typeof reply })).toBe(words);
  });
});
