import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../conformance/client/client.ts';
import { createHttpTransport } from '../../conformance/client/http-transport.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../../conformance/generate/generator.ts';
import type { Report } from '../../conformance/model/report.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { runRules } from '../../conformance/runner/run.ts';
import { toBase58 } from '../../fixtures/testing/base58.testing.ts';
import { SECOND_KEY, type SecondService, startSecondService } from './second-service.testing.ts';

/** Probes send most requests, and traffic sends the rest; the long run sends all traffic. */
const TRAFFIC = process.env['SWAPCHECK_LONG'] === '1' ? undefined : 600;
const generator: RequestGenerator = {
  ...MARKET_GENERATOR,
  traffic: (facts, seed) => [...MARKET_GENERATOR.traffic(facts, seed)].slice(0, TRAFFIC),
};

let service: SecondService;
let report: Report;

beforeAll(async () => {
  service = await startSecondService();
  const transport = createHttpTransport(new URL(service.url));
  const client = createClient({ transport, apiKey: SECOND_KEY });
  report = await runRules({
    client,
    rules: CATALOG,
    generator,
    target: service.url,
    version: 'second',
    seed: 2,
  });
  await client.close();
  // A busy machine takes minutes.
}, 600_000);
afterAll(() => service.close());

describe('a conforming service that is built differently', () => {
  test('no must and no should fails', () => {
    const failed = report.rules.filter(({ outcome }) => outcome === 'fail');
    expect(
      failed.map(({ id, failures }) => [
        id,
        failures[0]?.expected,
        failures[0]?.actual,
        failures[0]?.curl,
      ]),
    ).toEqual([]);
  });

  test('every must could run, and the verdict is conforming', () => {
    const stuck = report.rules.filter(({ outcome }) => outcome === 'could-not-run');
    expect(stuck.map(({ id, why }) => [id, why])).toEqual([]);
    expect(report.reason).toMatch(/passed/);
    expect(report.verdict).toBe('conforming');
  });

  test('rules judged a sufficient number of replies', () => {
    expect(report.replies).toBeGreaterThan(3_000);
    expect(service.limited()).toBeGreaterThan(0);
    expect(report.rateLimited).toBe(service.limited());
    const dust = report.largestDust?.partsPerMillion ?? 0;
    expect(dust).toBeGreaterThan(0.02);
    expect(dust).toBeLessThan(0.05);
    const chains = report.rules.find(({ id }) => id === 'chain/identifiers-observed')?.observed;
    expect(JSON.stringify(chains)).toContain('792703809');
  });

  test('the report does not contain its key', () => {
    const text = JSON.stringify(report);
    expect(text).not.toContain(SECOND_KEY);
    expect(text).not.toContain(encodeURIComponent(SECOND_KEY));
  });
});

test('toBase58 -> the vector of draft-msporny-base58, "Hello World!"', () => {
  expect(toBase58('0x48656c6c6f20576f726c6421')).toBe('2NEpo7TZRRrLZSi2U');
});
