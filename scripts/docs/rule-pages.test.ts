import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printRules } from '../../conformance/commands/rules-command.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { pageWithExample } from './rule-pages.testing.ts';

test('each rule -> a page with an example and, for a plan, a drawing', async () => {
  for (const rule of CATALOG)
    expect((await pageWithExample(rule)).markdown).toContain(`# \`${rule.id}\``);
  const rule = CATALOG.find(({ id }) => id === 'plan/conserves-between');
  const { markdown, svg } = await pageWithExample(rule ?? expect.fail('no such rule'));
  expect(markdown).toMatch(/Expected: an outflow of [\d,.]+ USD \(\d+ base units\)/);
  expect(svg).toContain('node token marked');
  const probe = CATALOG.find(({ id }) => id === 'lookups/every-chain');
  const page = await pageWithExample(probe ?? expect.fail('no such rule'));
  expect(page.markdown).toContain(
    'Expected: 200 for chain 501, which /chains lists\nActual:   400 "NO", 3 times',
  );
  expect(page.markdown).toContain('- expected 200 for chain 31337, which /chains lists, got 400');
});

test('a rule on settlements -> a finding with named tokens, and a list of the tested faults', async () => {
  const rule = CATALOG.find(({ id }) => id === 'execution/within-tolerance');
  const { markdown, svg } = await pageWithExample(rule ?? expect.fail('no such rule'));
  expect(markdown).toContain('Actual:   19799 base units of BUY received');
  expect(markdown).toContain('- `effects.received` is `19799`: found 19799 base units of BUY');
  expect(svg).toBeUndefined();
});

test('docs/rules.md -> up to date', () => {
  const table = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8');
  expect(table).toBe(printRules('markdown'));
});
