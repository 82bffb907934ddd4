import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOG } from '../rules/catalog.ts';
import { printRules } from './rules-command.ts';

describe('printRules', () => {
  test('markdown -> the text of docs/rules.md', () => {
    const page = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8');
    expect(page).toBe(printRules('markdown'));
  });

  test('json -> every rule with its clause and level', () => {
    const { rules } = JSON.parse(printRules('json')) as { rules: { id: string }[] };
    expect(rules.map(({ id }) => id).sort()).toEqual(CATALOG.map(({ id }) => id).sort());
  });

  test('text -> one line per rule, by clause', () => {
    const lines = printRules('text').trimEnd().split('\n');
    expect(lines.length).toBe(CATALOG.length);
    const sections = lines.map((line) => Number(line[0]));
    expect(sections).toEqual([...sections].sort());
  });
});
