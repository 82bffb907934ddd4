import { afterEach, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../client/client.ts';
import { HOSTILE_TALK, serve, serveRaw } from '../client/hostile-servers.testing.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { type Answer, inProcess } from '../client/in-process.testing.ts';
import type { Report } from '../model/report.ts';
import { CATALOG } from '../rules/catalog.ts';
import { runConformance } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { tinyAnswer, tinyPlan } from './tiny-service.testing.ts';
import { exitCodeOf } from './verdict.ts';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** Judges by the whole catalogue; whatever the service does, none of our own rules breaks. */
async function judge(client: Client, options: Partial<RunOptions> = {}): Promise<Report> {
  open.push(client);
  const report = await runConformance({
    client,
    target: 'http://service.example',
    rules: CATALOG,
    version: 'test',
    ...options,
  });
  expect(report.rules.filter(({ why }) => why?.includes('is broken'))).toEqual([]);
  return report;
}

const over = (url: string, timeoutMs?: number) =>
  createClient({
    transport: createHttpTransport(new URL(url), { ...(timeoutMs && { timeoutMs }) }),
  });

const failed = ({ rules }: Report) =>
  rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);

describe('a service that does not speak HTTP as it should', () => {
  test.each(Object.entries(HOSTILE_TALK))(
    '%s -> not conforming, after a few requests',
    async (_, talk) => {
      const server = await serveRaw(talk);
      open.push(server);
      const report = await judge(over(server.url, 300));
      expect(exitCodeOf(report)).toBe(1);
      expect(failed(report)).toContain('endpoint/answers');
      expect(report.requests).toBeLessThan(60);
    },
  );

  test('404 to everything -> exit code 1', async () => {
    const server = await serve((_, response) => response.writeHead(404).end('not here'));
    open.push(server);
    expect(exitCodeOf(await judge(over(server.url)))).toBe(1);
  });

  test('a closed port -> exit code 3, one sentence, after one request', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const report = await judge(over(server.url));
    expect(exitCodeOf(report)).toBe(3);
    expect(report.reason).toMatch(
      /^The service could not be reached: .* refused the connection\.$/,
    );
    expect(report.requests).toBe(1);
  });
});

describe('a service whose plans are monstrous', () => {
  /** Judges the first plan, after the three lookups, by all that is judged of replies. */
  const judgePlan = (swap: (sellAmount: string) => Answer['body']) =>
    judge(
      createClient({
        transport: inProcess((url) =>
          url.pathname.endsWith('/swap')
            ? { body: swap(url.searchParams.get('sellAmount') ?? '1') }
            : tinyAnswer(url),
        ),
      }),
      { rules: CATALOG.filter(({ kind }) => kind !== 'probe'), maxRequests: 4 },
    );

  test('100,000 routes between nothing -> judged', async () => {
    const routes = Array(100_000).fill({ fromTokens: [], toTokens: [] });
    const body = JSON.stringify({ ...tinyPlan('1000'), routes });
    expect(failed(await judgePlan(() => body))).toContain('route/two-ends');
  });

  test('reference ids of 40 digits -> told apart by their last', async () => {
    const id = (last: string) => `123456789012345678901234567890123456789${last}`;
    const report = await judgePlan((sellAmount) =>
      JSON.stringify(tinyPlan(sellAmount)).replace(
        /"referenceId":(\d)/g,
        (_, last) => `"referenceId":${id(last)}`,
      ),
    );
    const checked = report.rules.filter(({ checks }) => checks > 0).map(({ id: rule }) => rule);
    expect(checked).toEqual(
      expect.arrayContaining(['token/reference-unique', 'plan/no-self-loop']),
    );
    expect(failed(report)).not.toContain('token/reference-unique');
    expect(failed(report)).not.toContain('plan/no-self-loop');
  });

  test('JSON nested a million deep -> not read, said so', async () => {
    expect(failed(await judgePlan(() => '['.repeat(1_000_000)))).toContain('endpoint/json');
  });

  test('bytes that are not UTF-8 -> not JSON, said so', async () => {
    const body = Buffer.from(JSON.stringify(tinyPlan('1000')).replace('tiny', 't\xff'), 'latin1');
    expect(failed(await judgePlan(() => body))).toContain('endpoint/json');
  });
});
