import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATALOG } from '../rules/catalog.ts';
import { rulePageUrl } from './rule-page.ts';

test('rulePageUrl -> below the site of the documentation', () => {
  expect(rulePageUrl('plan/acyclic', 'https://docs.example.org/')).toBe(
    'https://docs.example.org/rules/plan/acyclic.html',
  );
});

test('every rule -> the page that the site is built from is there', () => {
  const docs = new URL('../../docs/', import.meta.url).href;
  const urls = CATALOG.map(({ id }) => rulePageUrl(id, docs)?.replace(/html$/, 'md') ?? '');
  expect(urls.filter((url) => !existsSync(new URL(url)))).toEqual([]);
});
