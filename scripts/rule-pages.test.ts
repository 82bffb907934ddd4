import { expect, test } from 'vitest';
import type { Rule } from '../conformance/model/rule.ts';
import { CATALOG } from '../conformance/rules/catalog.ts';
import { problemsOf } from './rule-pages.ts';

test('every rule has its page: what the catalogue says, what people wrote, and a failure of its mutant', () => {
  expect(problemsOf(CATALOG)).toEqual([]);
});

test('a rule without a page, and a page without a rule -> what to do', () => {
  const [first, ...others] = CATALOG;
  const renamed = { ...first, id: 'plan/renamed' } as Rule;
  expect(problemsOf([renamed, ...others])).toEqual([
    `docs/rules/${first?.id}.md: no rule has that id, so delete the file`,
    'docs/rules/plan/renamed.md is missing: run `npm run docs:rules`, then write its sections',
  ]);
});
