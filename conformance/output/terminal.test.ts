import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { canRedraw, createPaint, wantsColour } from './terminal.ts';

describe('wantsColour', () => {
  test.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, false],
  ])('%j with %j -> %s', (stream, variables, colour) => {
    expect(wantsColour(stream, variables)).toBe(colour);
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

describe('createPaint', () => {
  test.each(['NO_COLOR', 'NODE_DISABLE_COLORS', 'FORCE_COLOR'])(
    '%s -> colours as requested',
    (name) => {
      vi.stubEnv(name, name === 'FORCE_COLOR' ? '0' : '1');
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(createPaint(true).red('a')).toBe('\u001b[31ma\u001b[39m');
      expect(createPaint(false).red('a')).toBe('a');
    },
  );
});
