import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATALOG } from '../rules/catalog.ts';
import { ruleHelpUri, rulePageUrl } from './rule-page.ts';

test('rulePageUrl -> below the site of the documentation', () => {
  expect(rulePageUrl('plan/acyclic', 'https://docs.example.org/')).toBe(
    'https://docs.example.org/rules/plan/acyclic.html',
  );
});

test('ruleHelpUri -> the page of each rule, in the package; of no other rule', () => {
  const uris = CATALOG.map(({ id }) => ruleHelpUri(id) ?? '');
  expect(uris.filter((uri) => !existsSync(new URL(uri)))).toEqual([]);
  expect(ruleHelpUri('mine/own')).toBeUndefined();
});
