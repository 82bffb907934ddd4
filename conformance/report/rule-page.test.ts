import { expect, test } from 'vitest';
import { CATALOG } from '../rules/catalog.ts';
import { rulePage, rulePageUrl } from './rule-page.ts';

test('rulePageUrl -> a page below the documentation site; undefined for rules outside the catalog', () => {
  const site = 'https://docs.example.org/';
  expect(rulePageUrl('plan/acyclic', site)).toBe(
    'https://docs.example.org/rules/plan/acyclic.html',
  );
  expect(rulePageUrl('own/mine', site)).toBeUndefined();
});

test('rulePage -> the texts of each rule, and the findings of a rule on replies', () => {
  expect(CATALOG.filter(({ id }) => !rulePage(id)?.includes('## Why it matters'))).toEqual([]);
  expect(rulePage('limits/plan-decimals')).toMatch(
    /## Harm to clients[\s\S]*- `\/tokens\/\d\/decimals` is `-?\d+`: found at/,
  );
  expect(rulePage('own/mine')).toBeUndefined();
});
