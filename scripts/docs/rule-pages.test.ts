import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Rule } from '../../conformance/model/rule.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { problemsOf, RULE_PAGES } from './rule-pages.ts';
import { picturedIn, pictureOf } from './rule-pictures.ts';

test('every rule has its page: what the catalogue says, what people wrote, and a failure of its mutant', () => {
  expect(problemsOf(CATALOG)).toEqual([]);
});

test.each(
  readdirSync(RULE_PAGES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.svg'),
  ),
)(
  'docs/rules/%s -> drawn as reports draw it now: else `npm run docs:failures` of its rule',
  (file) => {
    const svg = readFileSync(new URL(file, RULE_PAGES), 'utf8');
    expect(pictureOf(picturedIn(svg))).toBe(svg);
  },
);

test('a rule without a page, and a page without a rule -> what to do', () => {
  const [first, ...others] = CATALOG;
  const renamed = { ...first, id: 'plan/renamed' } as Rule;
  expect(problemsOf([renamed, ...others])).toEqual([
    `docs/rules/${first?.id}.md: no rule has that id, so delete the file`,
    'docs/rules/plan/renamed.md is missing: run `npm run docs:rules`, then write its sections',
  ]);
});
