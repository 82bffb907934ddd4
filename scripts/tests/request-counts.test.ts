import { expect, test } from 'vitest';
import { createClient } from '../../conformance/client/client.ts';
import { intoListener } from '../../conformance/client/into-listener.testing.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { runRules } from '../../conformance/runner/run.ts';
import type { RunOptions } from '../../conformance/runner/run-options.ts';
import { createApp } from '../../reference/server/app.ts';

const transport = intoListener(createApp({ maxQueued: 4096 }).callback());

/** Judges the reference, which has two chains, without settling plans. */
async function judge(options: Pick<RunOptions, 'profile' | 'only'>) {
  const client = createClient({ transport, apiKey: 'demo' });
  const rules = CATALOG.filter(({ kind }) => kind !== 'settlement');
  return runRules({ ...options, client, rules, target: 'reference', version: 'test' });
}

test('profile quick -> tries every rule, with fewer than 300 requests', async () => {
  const { requests, rules, verdict } = await judge({ profile: 'quick' });
  expect(requests).toBeLessThan(300);
  expect(verdict).toBe('conforming');
  expect(rules.filter(({ outcome }) => /fail|could-not-run/.test(outcome))).toEqual([]);
});

test.each([
  ['2.7', 100],
  ['2.6', 250],
])('only %s -> fewer than %i requests, none for a plan', async (only, most) => {
  const { requests, timings, verdict } = await judge({ only: [only] });
  expect(requests).toBeLessThan(most);
  expect(timings.map(({ endpoint }) => endpoint)).not.toContain('swap');
  expect(verdict).toBe('conforming');
});
