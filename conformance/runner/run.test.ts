import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from '../client/client.ts';
import {
  HOSTILE_TALK,
  serve,
  serveRaw,
  type TinyServer,
} from '../client/hostile-servers.testing.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { simplifyRequest, weightOf } from '../generate/simplify.ts';
import { coverMarket } from '../generate/traffic.ts';
import type { RunEvent } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { Finding, ProbeRule, ReplyRule, Rule } from '../model/rule.ts';
import type { Traffic } from '../model/session.ts';
import { CATALOG } from '../rules/catalog.ts';
import { runConformance } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { tinyService } from './tiny-service.testing.ts';
import { exitCodeOf } from './verdict.ts';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const quiet = { traffic: () => [], simplify: () => [], weigh: () => 1 };

async function judge(
  server: TinyServer,
  rules: readonly Rule[],
  options: Partial<RunOptions> & { timeoutMs?: number; apiKey?: string } = {},
): Promise<{ report: Report; events: RunEvent[] }> {
  const { timeoutMs = 5000, apiKey = 'key-to-hide', ...given } = options;
  const client = createClient({
    transport: createHttpTransport(new URL(server.url), { timeoutMs }),
    apiKey,
  });
  open.push(server, client);
  const events: RunEvent[] = [];
  const report = await runConformance(
    { client, target: server.url, rules, generator: quiet, version: 'test', ...given },
    (event) => events.push(event),
  );
  return { report, events };
}

function firstOf(count: number): Traffic {
  return (facts, seed) => [...coverMarket(facts, seed)].slice(0, count);
}

const identity = { clause: '4 status', level: 'must' } as const;
const sixes: ReplyRule = {
  ...identity,
  kind: 'reply',
  endpoint: 'swap',
  id: 'test/no-sixes',
  title: 'no sell amount holds a six',
  judge: ({ reply }) => {
    const { sell } = (reply.document as unknown as { value: { sell: { amount: string } } }).value;
    const findings = sell.amount.includes('6')
      ? [{ expected: 'no six', actual: sell.amount, pointer: '/sell/amount' }]
      : [];
    return { findings };
  },
};

function probe(id: string, run: ProbeRule['run']): ProbeRule {
  return { ...identity, kind: 'probe', id, title: id, run };
}

const passing = probe('test/passing', async ({ get }) => {
  await get({ path: '/api/v1.0/chains', query: [] });
  return { kind: 'judged', checks: 1, findings: [] };
});

describe('runConformance', () => {
  test('rules that hold -> conforming, events from start to finish', async () => {
    const { report, events } = await judge(await serve(tinyService), [passing]);
    expect(report).toMatchObject({
      verdict: 'conforming',
      target: expect.stringContaining('127.'),
    });
    expect(events[0]?.type).toBe('run-started');
    expect(events.at(-1)).toEqual({ type: 'run-finished', report });
    expect(events.filter(({ type }) => type === 'exchange').length).toBe(report.requests);
    const facts = events.find((event) => event.type === 'discovery-finished')?.facts;
    expect(facts?.markets.get(7)).toMatchObject({ addresses: 'evm', nativeTokenUsdPrice: 2 });
    expect(facts?.markets.get(7)?.pairs.length).toBeGreaterThan(2);
    expect([...(facts?.markets.get(7)?.routers ?? [])]).toEqual([['default-router', 'calldata']]);
  });

  test('a broken reply rule -> one failure with a count, shown by the smallest request', async () => {
    const amounts = ['12345', '66666', '61', '6123456'];
    const target = (amount: string) => ({
      path: '/api/v1.0/swap',
      query: [['sellAmount', amount]] as const,
    });
    const { report } = await judge(await serve(tinyService), [sixes], {
      generator: {
        traffic: () => amounts.map(target),
        weigh: ({ query }) =>
          typeof query === 'string' ? query.length : (query[0]?.[1].length ?? 0),
        simplify: ({ query }) =>
          query.length === 1 && query[0]?.[1] === '61' ? [target('6')] : [],
      },
    });
    const [failure, ...more] = report.rules[0]?.failures ?? [];
    expect(more).toEqual([]);
    expect(failure).toMatchObject({
      actual: '6',
      count: 4,
      replay: { seed: 1, path: 'traffic:2:0' },
    });
    expect(failure?.curl).toContain('"apiKey=$SWAPCHECK_API_KEY"');
    expect(failure?.plan?.routes.length).toBe(1);
    expect(exitCodeOf(report)).toBe(1);
  });

  test('a probe that asserted nothing, and rules that throw -> could not run, incomplete', async () => {
    const { report } = await judge(await serve(tinyService), [
      probe('test/empty', async () => ({ kind: 'judged', checks: 0, findings: [] })),
      probe('test/throws', async () => {
        throw new Error('oh no');
      }),
      { ...sixes, id: 'test/reply-throws', judge: () => JSON.parse('{') },
    ]);
    expect(report.verdict).toBe('incomplete');
    expect(report.rules.map(({ outcome }) => outcome)).toEqual(Array(3).fill('could-not-run'));
    expect(report.rules[0]?.why).toBe('it asserted nothing');
    expect(report.rules[1]?.why).toContain('the rule test/throws is broken');
    expect(report.rules[2]?.why).toContain('the rule test/reply-throws is broken');
  });

  test('a key that the service echoes, however short -> nowhere in the report', async () => {
    for (const apiKey of ['long-and-secret', 'abc']) {
      const echo: ReplyRule = {
        ...sixes,
        id: 'test/echo',
        endpoint: 'chains',
        judge: ({ reply }) => ({
          findings: [{ expected: 'no echo', actual: reply.text }],
          observed: reply.text,
        }),
      };
      const server = await serve((request, response) => {
        const sent = new URL(request.url ?? '', 'http://a').searchParams.get('apiKey');
        response.end(JSON.stringify({ sent, url: request.url, code: btoa(sent ?? '') }));
      });
      const { report } = await judge(server, [echo], { apiKey });
      expect(report.rules[0]?.failures.length).toBe(1);
      expect(JSON.stringify(report)).not.toContain(apiKey);
    }
  });

  test('one seed -> the same requests, twice', async () => {
    const sent = async () => {
      const targets: string[] = [];
      await judge(
        await serve((request, response) => {
          targets.push(request.url ?? '');
          tinyService(request, response);
        }),
        CATALOG.filter(({ kind }, index) => kind !== 'probe' || index % 4 === 0),
        {
          generator: { traffic: firstOf(300), simplify: simplifyRequest, weigh: weightOf },
          seed: 5,
        },
      );
      return targets.sort();
    };
    const [first, second] = [await sent(), await sent()];
    expect(first.length).toBeGreaterThan(500);
    expect(second).toEqual(first);
  });

  test('a budget -> the rules it left out are named, a must among them is incomplete', async () => {
    const probes = ['a', 'b', 'c'].map((name) => ({ ...passing, id: `test/${name}` }));
    const all = await judge(await serve(tinyService), probes);
    const { report } = await judge(await serve(tinyService), probes, {
      maxRequests: all.report.requests - 1,
    });
    expect(report.verdict).toBe('incomplete');
    expect(report.leftOut).toEqual([
      { id: 'test/c', why: expect.stringMatching(/budget of \d+ requests/) },
    ]);
  });

  test('a time budget -> the run ends within it, incomplete', async () => {
    const server = await serve((request, response) => {
      setTimeout(() => tinyService(request, response), 50);
    });
    const slow = probe('test/slow', async ({ get }) => {
      for (;;) await get({ path: '/api/v1.0/chains', query: [] });
    });
    const { report } = await judge(server, [slow], { maxTimeMs: 700 });
    expect(report).toMatchObject({ verdict: 'incomplete' });
    expect(report.rules[0]?.why).toBe('the budget of 0.7 s is spent');
    expect(report.durationMs).toBeLessThan(2000);
  });

  test('a budget spent after every rule had something to judge -> conforming, and the reason says so', async () => {
    const anything: ReplyRule = { ...sixes, judge: () => ({ findings: [] }) };
    const { report } = await judge(await serve(tinyService), [passing, anything], {
      generator: { ...quiet, traffic: firstOf(2_000) },
      maxRequests: 300,
    });
    expect(report).toMatchObject({
      verdict: 'conforming',
      reason:
        'All 2 `must` rules that apply are kept, as far as the run went: the budget of 300 requests is spent.',
    });
  });

  test('a chain that the service does not list -> incomplete, and never asked about', async () => {
    const asked: string[] = [];
    const server = await serve((request, response) => {
      asked.push(request.url ?? '');
      tinyService(request, response);
    });
    const { report } = await judge(server, CATALOG, { chains: [7, 999] });
    expect(report).toMatchObject({
      verdict: 'incomplete',
      reason: '/chains does not list chain 999, only 7.',
    });
    expect(exitCodeOf(report)).toBe(3);
    expect(asked.filter((target) => target.includes('chainId=999'))).toEqual([]);
  });

  test.each([400, 401, 403])(
    'the key refused with %d, as an unknown one is -> incomplete, and nothing is held against the service',
    async (status) => {
      const server = await serve((request, response) => {
        const isKnown = request.url?.includes('apiKey=another-key') ?? false;
        if (isKnown) return tinyService(request, response);
        response.writeHead(status).end('{"error":"WHO","message":"Who are you?"}');
      });
      const { report } = await judge(server, CATALOG);
      expect(report.reason).toBe(
        `The service refuses the API key as it refuses an unknown one, with ${status} "WHO": --api-key or SWAPCHECK_API_KEY names the key.`,
      );
      expect(exitCodeOf(report)).toBe(3);
      expect(report.rules.filter(({ checks }) => checks > 0)).toEqual([]);
      expect(report.requests).toBe(7);
      const known = await judge(server, [passing], { apiKey: 'another-key' });
      expect(known.report.verdict).toBe('conforming');
    },
  );

  test('/chains refused with 400, but an unknown key with 401 -> held against the service', async () => {
    const server = await serve((request, response) => {
      const status = request.url?.includes('apiKey=key-to-hide') ? 400 : 401;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end('{"error":"NO","message":"No."}');
    });
    const { report } = await judge(server, CATALOG);
    expect(report.verdict).toBe('nonconforming');
  });

  test('an abort -> a report at once, incomplete', async () => {
    const server = await serveRaw(HOSTILE_TALK['no answer']);
    const { report } = await judge(server, [passing], {
      signal: AbortSignal.timeout(100),
      timeoutMs: 60_000,
    });
    expect(report).toMatchObject({ verdict: 'incomplete', reason: 'The run was ended early.' });
    expect(report.durationMs).toBeLessThan(2000);
  });

  test('429 to everything -> incomplete, never a failure', async () => {
    const server = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': '0' }).end('{}');
    });
    const { report } = await judge(server, CATALOG);
    expect(report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual(
      [],
    );
    expect(report.verdict).toBe('incomplete');
    expect(report.rateLimited).toBeGreaterThan(5);
  });

  test('500 to each request when it is first sent -> asked again before a probe sees it', async () => {
    const refused = new Set<string>();
    const server = await serve((request, response) => {
      const url = request.url ?? '';
      if (refused.has(url)) return tinyService(request, response);
      refused.add(url);
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'COLD', message: 'Not yet warm.' }));
    });
    const answered = probe('test/answered', async ({ get, facts }) => {
      const exchange = await get({ path: '/api/v1.0/chains', query: [['fresh', '1']] });
      const isAnswered = exchange.outcome.kind === 'reply' && exchange.outcome.status === 200;
      const findings = isAnswered ? [] : [{ expected: '200', actual: 'another', exchange }];
      return { kind: 'judged', checks: facts.markets.size, findings };
    });
    const { report } = await judge(server, [answered]);
    expect(report).toMatchObject({ verdict: 'conforming', rules: [{ checks: 1 }] });
    expect(report.requests).toBe(2 * refused.size);
  });

  test('a limit that lifts -> judged in full', async () => {
    let served = 0;
    const server = await serve((request, response) => {
      if (served++ % 5 === 4) response.writeHead(429, { 'retry-after': '0.01' }).end('{}');
      else tinyService(request, response);
    });
    const { report } = await judge(server, [passing]);
    expect(report.verdict).toBe('conforming');
  });

  test('a waiver -> shown, not counted; one that is stale -> fails the run', async () => {
    const broken = probe('test/broken', async ({ get }) => {
      const exchange = await get({ path: '/api/v1.0/swap', query: [['chainId', '7']] });
      const finding: Finding = { expected: 'x', actual: 'y', exchange };
      return { kind: 'judged', checks: 1, findings: [finding] };
    });
    const waiver = { rule: 'test/broken', chain: 7, reason: 'known', expires: '2999-12-31' };
    const run = async (waivers: RunOptions['waivers']) =>
      (await judge(await serve(tinyService), [broken, passing], { waivers: waivers ?? [] })).report;
    const waived = await run([waiver]);
    expect(waived).toMatchObject({ verdict: 'conforming', summary: { must: { waived: 1 } } });
    expect(waived.rules[0]?.failures[0]?.waiver?.reason).toBe('known');
    expect((await run([{ ...waiver, chain: 8 }])).verdict).toBe('nonconforming');
    const expired = await run([waiver, { ...waiver, rule: 'test/passing', expires: '2020-01-01' }]);
    expect(expired).toMatchObject({
      verdict: 'nonconforming',
      staleWaivers: [{ rule: 'test/passing', why: 'the waiver expired on 2020-01-01' }],
    });
    const unused = await run([waiver, { ...waiver, rule: 'test/passing' }]);
    expect(unused.staleWaivers?.[0]?.why).toContain('no longer fires on chain 7');
  });

  describe('the whole catalogue against a hostile service', () => {
    const whole = {
      generator: { traffic: coverMarket, simplify: simplifyRequest, weigh: weightOf },
    };
    test.each(Object.keys(HOSTILE_TALK) as (keyof typeof HOSTILE_TALK)[])(
      '%s -> not conforming, with a report, in time',
      async (name) => {
        const { report } = await judge(await serveRaw(HOSTILE_TALK[name]), CATALOG, {
          ...whole,
          timeoutMs: 300,
        });
        expect(exitCodeOf(report)).toBe(1);
        expect(report.rules.find(({ id }) => id === 'endpoint/answers')?.outcome).toBe('fail');
        expect(report.durationMs).toBeLessThan(20_000);
      },
    );

    test('404 to everything -> exit code 1', async () => {
      const server = await serve((_, response) => response.writeHead(404).end('not here'));
      const { report } = await judge(server, CATALOG, whole);
      expect(exitCodeOf(report)).toBe(1);
    });

    test('a closed port -> exit code 3, one sentence, at once', async () => {
      const server = await serve(() => undefined);
      await server.close();
      const closed = { url: server.url, close: async () => undefined };
      const { report } = await judge(closed, CATALOG, whole);
      expect(exitCodeOf(report)).toBe(3);
      expect(report.reason).toMatch(
        /^The service could not be reached: .* refused the connection\.$/,
      );
      expect(report.durationMs).toBeLessThan(2000);
    });
  });
});
