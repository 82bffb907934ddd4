import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { notify as notifyOfReference } from '../../reference/market/notify.ts';
import { canRedraw, createPaint, notify, wantsColor } from './terminal.ts';

describe('wantsColor', () => {
  test.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, false],
    [{}, { FORCE_COLOR: '1' }, true],
    [{}, { FORCE_COLOR: '' }, true],
    [{}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ isTTY: true }, { FORCE_COLOR: '0' }, false],
    [{ isTTY: true }, { FORCE_COLOR: 'false' }, false],
  ])('%j with %j -> %s', (stream, variables, color) => {
    expect(wantsColor(stream, variables)).toBe(color);
  });
});

describe('canRedraw', () => {
  test.each([
    [{ isTTY: true }, { TERM: 'xterm' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, true],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: false }, {}, false],
  ])('%j with %j -> %s', (stream, variables, drawn) => {
    expect(canRedraw(stream, variables)).toBe(drawn);
  });
});

const HOSTILE = 'error: a\u001b]0;owned\u0007\u009b2J\u202eb\r\nc';
const ESCAPED = ['error: a\\u{1b}]0;owned\\u{7}\\u{9b}2J\\u{202e}b', 'c', ''];

describe('notify', () => {
  test('text from a service -> lines without control characters', () => {
    const stream = new PassThrough();
    notify(HOSTILE, stream);
    const lines = String(stream.read()).replaceAll('\\r', '').split('\n');
    expect(lines).toEqual(ESCAPED);
  });

  test('text from the reference -> the same lines', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    notifyOfReference(HOSTILE);
    expect(String(write.mock.calls[0]?.[0]).replaceAll('\\u{d}', '').split('\n')).toEqual(ESCAPED);
  });

  test('no other function writes to standard error, except in a child process', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const files = globSync(
      ['{conformance,load,study,reference}/**/*.ts', 'scripts/{cli/**,swapcheck}.ts'],
      { cwd: root, ignore: ['**/*.{test,testing}.ts'] },
    );
    const writing = files.filter((file) =>
      /(process\.stderr|console)\.(write|log|error|warn)\(/.test(
        readFileSync(`${root}/${file}`, 'utf8').replace(/^ \*.*$/gm, ''),
      ),
    );
    expect(writing.sort()).toEqual([
      'conformance/execution/node/supervise-anvil.ts',
      'reference/market/notify.ts',
    ]);
  });
});

describe('createPaint', () => {
  test.each(['NO_COLOR', 'NODE_DISABLE_COLORS', 'FORCE_COLOR'])(
    '%s -> colors as requested',
    (name) => {
      vi.stubEnv(name, name === 'FORCE_COLOR' ? '0' : '1');
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(createPaint(true).red('a')).toBe('\u001b[31ma\u001b[39m');
      expect(createPaint(false).red('a')).toBe('a');
    },
  );
});
