import { expect, test } from 'vitest';
import { intoListener } from '../../conformance/client/into-listener.testing.ts';
import { openService } from '../../conformance/discovery/open-service.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { runRules } from '../../conformance/runner/run.ts';
import type { RunOptions } from '../../conformance/runner/run-options.ts';
import { createApp } from '../../reference/server/app.ts';

const transport = intoListener(createApp({ maxQueued: 4096 }).callback());

/** Judges the reference, which has two chains. Settles no plans. */
async function judge(options: Pick<RunOptions, 'profile' | 'only'>) {
  const service = openService({ transport, apiKey: 'demo' });
  const rules = CATALOG.filter(({ kind }) => kind !== 'settlement');
  return runRules({ ...options, service, rules, target: 'reference' });
}

test('only rules on replies of one operation -> they judge all its replies, and no other is requested', async () => {
  const { timings, verdict } = await judge({ profile: 'quick', only: ['2.7'] });
  const all = await judge({ profile: 'quick', only: ['*'] });
  const requestsTo = (operation: string, of: typeof timings) =>
    of.find(({ endpoint }) => endpoint === operation)?.requests ?? 0;
  expect(timings.map(({ endpoint }) => endpoint)).toEqual(['chains']);
  expect(requestsTo('chains', timings)).toBe(requestsTo('chains', all.timings));
  expect(verdict).toBe('conforming');
});

test('only a probe -> only its own requests and those of discovery', async () => {
  const { requests, verdict } = await judge({
    profile: 'quick',
    only: ['tokens/requested-chain-id'],
  });
  expect(requests).toBeLessThan(150);
  expect(verdict).toBe('conforming');
});
