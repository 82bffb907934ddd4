import { describe, expect, test } from 'vitest';
import { canRedraw, wantsColour } from './terminal.ts';

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
