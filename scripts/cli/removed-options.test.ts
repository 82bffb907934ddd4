import { describe, expect, test } from 'vitest';
import { explainRemovedOption } from './removed-options.ts';

describe('explainRemovedOption', () => {
  const removed = { load: { '--old': 'pass --new.' } };
  const explain = (text: string, ...words: readonly string[]) =>
    explainRemovedOption(text, words, removed);

  test('a removed option -> the sentence on what to use instead, without another suggestion', () => {
    const text =
      "error: unknown option '--old'\n(Did you mean --bold?)\nSee swapcheck load --help.\n";
    const expected =
      "error: unknown option '--old'\nThis version removed it: pass --new.\nSee swapcheck load --help.\n";
    expect(explain(text, 'load', 'export', '--old')).toBe(expected);
    expect(explain(text.replace('--old', '--old=3'), 'load', '--old=3')).toContain('pass --new.');
  });

  test.each([
    ['an option that never existed', "error: unknown option '--older'\n", 'load'],
    ['an option that another command had', "error: unknown option '--old'\n", 'test'],
    ['another error', "error: '--old' is not a file\n", 'load'],
    ['no command', "error: unknown option '--old'\n", undefined],
  ])('%s -> the message of commander', (_, text, command) => {
    expect(explain(text, ...(command === undefined ? [] : [command]))).toBe(text);
  });
});
