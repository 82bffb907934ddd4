import { describe, expect, test } from 'vitest';
import { CATALOG } from '../rules/catalog.ts';
import { explain } from './explain-command.ts';

const terminal = { isTTY: true, columns: 60 };

describe('explain', () => {
  test('the id of a rule, or its name in JUnit -> its page, without colors in a pipe', () => {
    const page = explain('plan/conserves-between', {}, {});
    expect(page).toMatch(
      /^`plan\/conserves-between`\n\nSpends each intermediate token completely\./,
    );
    expect(page).toContain('Harm to clients');
    expect(page).toContain('Tested faults');
    expect(explain('plan-conserves-between', {}, {})).toBe(page);
  });

  test('every rule -> a page that fits the terminal, except for longer words', () => {
    for (const { id } of CATALOG) {
      const lines = explain(id, terminal, { NO_COLOR: '1' }).split('\n');
      const long = lines.filter((line) => line.length > 60 && /\S\s\S/.test(line.trim()));
      expect(long, id).toEqual([]);
    }
  });

  test('a terminal -> colors', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colors are.
    expect(explain('plan/acyclic', terminal, {})).toMatch(/\u001b\[/);
  });

  test('a clause with several rules -> one line per rule', () => {
    expect(explain('2.7', {}, {})).toMatch(/^chain\/chain-id +returns `chainId` as an integer\n/);
  });

  test('an unknown name -> the nearest known name', () => {
    expect(() => explain('plan/acylic', {}, {})).toThrow(/did you mean "plan\/acyclic"\?/);
    expect(() => explain('plan/conserve', {}, {})).toThrow(/did you mean "plan\/conserves-sell"\?/);
    expect(() => explain('buy-amount-echo', {}, {})).toThrow(/"swap\/buy-amount-echoed"\?/);
  });
});
