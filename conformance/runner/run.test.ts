import { describe, expect, test } from 'vitest';
import { sleep } from '../client/clock.ts';
import type { NoReply } from '../client/exchange.ts';
import { createFakeClock } from '../client/fake-clock.testing.ts';
import { type Answer, type Service, SILENCE } from '../client/in-process.testing.ts';
import { type Endpoint, PATHS } from '../contract/paths.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../generate/generator.ts';
import { coverMarket } from '../generate/traffic.ts';
import type { ProbeRule, ReplyRule, Rule } from '../model/rule.ts';
import { quote, words } from '../model/statement.ts';
import { CATALOG } from '../rules/catalog.ts';
import { DISTINCT_RULES } from './distinct-rules.testing.ts';
import { judgeService, NO_TRAFFIC } from './judge-service.testing.ts';
import type { RunOptions } from './run-options.ts';
import { tinyAnswer } from './tiny-service.testing.ts';
import { exitCodeOf } from './verdict.ts';

const judge = (
  service: Service,
  rules: readonly Rule[],
  options: Parameters<typeof judgeService>[1] = {},
) => judgeService(service, { rules, generator: NO_TRAFFIC, ...options });

const judgedTiny = new Map<readonly Rule[], ReturnType<typeof judge>>();
/** Judges the tiny service once for all tests that compare another service with it. */
function tinyJudgedBy(rules: readonly Rule[]): ReturnType<typeof judge> {
  const judged = judgedTiny.get(rules) ?? judge(tinyAnswer, rules);
  judgedTiny.set(rules, judged);
  return judged;
}

function firstOf(count: number): RequestGenerator['traffic'] {
  return (facts, seed) => [...coverMarket(facts, seed)].slice(0, count);
}

const identity = { clause: '4 status', level: 'must' } as const;
const sixes: ReplyRule = {
  ...identity,
  kind: 'reply',
  endpoint: 'swap',
  id: 'test/no-sixes',
  title: 'no sell amount holds a six',
  check: ({ reply }, t) => {
    const { sell } = (reply.document as unknown as { value: { sell: { amount: string } } }).value;
    const six = {
      ...{ fault: 'six', pointer: '/sell/amount' },
      ...{ expected: words`no six`, actual: [quote(sell.amount)] },
    };
    t.check(sell.amount.includes('6') ? six : undefined);
  },
};

function probe(id: string, check: ProbeRule['check']): ProbeRule {
  return { ...identity, kind: 'probe', id, title: id, check };
}

const passing = probe('test/passing', async ({ get }, t) => {
  await get({ path: '/api/v1.0/chains', query: [] });
  t.check();
});

describe('runConformance', () => {
  test('rules that pass -> conforming, with events from start to finish', async () => {
    const { report, events } = await judge(tinyAnswer, [passing]);
    expect(report).toMatchObject({
      verdict: 'conforming',
      target: 'http://service.example',
    });
    expect(events[0]?.type).toBe('run-started');
    expect(events.at(-1)).toEqual({ type: 'run-finished', report });
    expect(events.filter(({ type }) => type === 'exchange').length).toBe(report.requests);
    const facts = events.find((event) => event.type === 'discovery-finished')?.facts;
    expect(facts?.markets.get(7)).toMatchObject({ addresses: 'evm', nativeTokenUsdPrice: 2 });
    expect(facts?.markets.get(7)?.pairs.length).toBeGreaterThan(2);
    expect([...(facts?.markets.get(7)?.routers ?? [])]).toEqual([['default-router', 'calldata']]);
  });

  test('a broken reply rule -> one failure with a count and the smallest request', async () => {
    const amounts = ['12345', '66666', '61', '6123456'];
    const target = (amount: string) => ({
      path: '/api/v1.0/swap',
      query: [['sellAmount', amount]] as const,
    });
    const { report } = await judge(tinyAnswer, [sixes], {
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
    // Three requests of the traffic, and the smallest one. Its repeat does not count.
    expect(failure).toMatchObject({ actual: '"6"', count: 4, repeat: { outcome: 'fails' } });
    expect(failure?.curl).toContain('"apiKey=$SWAPCHECK_API_KEY"');
    expect(failure?.plan?.routes.length).toBe(1);
    expect(exitCodeOf(report)).toBe(1);
  });

  test('a request without a reply -> no variant of it is sent', async () => {
    const swap = { path: PATHS.swap, query: [['traffic', 'yes']] } as const;
    let simplified = 0;
    const generator: RequestGenerator = {
      ...NO_TRAFFIC,
      traffic: () => [swap],
      simplify: () => {
        simplified++;
        return [];
      },
    };
    const { report } = await judge(
      (url) => (url.searchParams.has('traffic') ? SILENCE : tinyAnswer(url)),
      CATALOG.filter(({ id }) => id === 'endpoint/answers'),
      { generator, clock: createFakeClock() },
    );
    expect(report.rules).toMatchObject([{ id: 'endpoint/answers', outcome: 'fail' }]);
    expect(simplified).toBe(0);
  });

  test('a probe that asserted nothing, and rules that throw -> could not run, incomplete', async () => {
    const { report } = await judge(tinyAnswer, [
      probe('test/empty', async () => {}),
      probe('test/throws', async () => {
        throw new Error('oh no');
      }),
      { ...sixes, id: 'test/reply-throws', check: () => JSON.parse('{') },
    ]);
    expect(report.verdict).toBe('incomplete');
    expect(report.rules.map(({ outcome }) => outcome)).toEqual(Array(3).fill('could-not-run'));
    expect(report.rules[0]?.why).toBe('it asserted nothing');
    expect(report.rules[1]?.why).toContain('the rule test/throws itself failed');
    expect(report.rules[2]?.why).toContain('the rule test/reply-throws itself failed');
  });

  test('rules that cannot run for the same reason -> the verdict gives this reason', async () => {
    const idle = (id: string) => probe(id, async () => {});
    const { report } = await judge(tinyAnswer, [idle('test/one'), idle('test/two')]);
    expect(report.reason).toBe(
      '2 `must` rules could not run: test/one, test/two. Why: it asserted nothing.',
    );
  });

  test('no address in mixed letter case, and a run that ends early -> the rule on checksums does not apply', async () => {
    const rules = CATALOG.filter(({ id }) => id === 'endpoint/address-checksum');
    const { report } = await judge(tinyAnswer, rules, { maxRequests: 3 });
    expect(report.rules).toMatchObject([
      { outcome: 'not-applicable', why: 'no reply showed an address in mixed letter case' },
    ]);
  });

  test('the same seed -> the same requests in both runs', async () => {
    const sent = async () => {
      const targets: string[] = [];
      await judge(
        (url) => {
          targets.push(url.href);
          return tinyAnswer(url);
        },
        CATALOG.filter(
          (rule, index) => (rule.kind !== 'probe' && rule.kind !== 'relation') || index % 4 === 0,
        ),
        {
          generator: { ...MARKET_GENERATOR, traffic: firstOf(300) },
          // With less time, a run on a busy machine would send fewer requests.
          ...{ seed: 5, maxTimeMs: 86_400_000 },
        },
      );
      return targets.sort();
    };
    const [first, second] = [await sent(), await sent()];
    expect(first.length).toBeGreaterThan(500);
    expect(second).toEqual(first);
  });

  test('rules on some operations -> traffic only for these operations', async () => {
    const { endpoint: _, ...onAny } = sixes;
    const traffic = () =>
      Object.values(PATHS).map((path) => ({ path, query: [['traffic', 'yes']] }) as const);
    const asked = async (...operations: (Endpoint | undefined)[]) => {
      const paths = new Set<string>();
      const service: Service = (url) => {
        if (url.searchParams.has('traffic')) paths.add(url.pathname);
        return tinyAnswer(url);
      };
      const rules = operations.map((endpoint) => (endpoint ? { ...onAny, endpoint } : onAny));
      await judge(service, rules, { generator: { ...NO_TRAFFIC, traffic } });
      return [...paths].sort();
    };
    expect(await asked('chains')).toEqual([PATHS.chains]);
    expect(await asked('chains', 'swap')).toEqual([PATHS.chains, PATHS.swap].sort());
    expect(await asked('chains', undefined)).toEqual(Object.values(PATHS).sort());
  });

  test('an internal error -> a report of what was judged before; incomplete unless a rule failed', async () => {
    const failing = probe('test/failing', async ({ get }, t) => {
      const exchange = await get({ path: '/api/v1.0/chains', query: [] });
      t.check({ fault: 'none', expected: ['a'], actual: ['b'] }, exchange);
    });
    const generator: RequestGenerator = {
      ...NO_TRAFFIC,
      traffic: () => {
        throw new RangeError('Invalid array length for a-secret-key-17');
      },
    };
    const apiKey = 'a-secret-key-17';
    const { report, events } = await judge(tinyAnswer, [passing, sixes], { generator, apiKey });
    expect(JSON.stringify(report)).not.toContain(apiKey);
    expect(report).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringMatching(
        /^The run ended early, since swapcheck itself failed, which reveals nothing about the service: Invalid array length for /,
      ),
    });
    expect(report.rules[0]).toMatchObject({ id: 'test/passing', outcome: 'pass' });
    expect(report.notJudged).toContainEqual({
      why: expect.stringMatching(/^the rest of the run, since .* Invalid array length for /),
      rules: [],
    });
    expect(events.at(-1)?.type).toBe('run-finished');
    const other = await judge(tinyAnswer, [failing, sixes], { generator });
    expect(other.report.verdict).toBe('nonconforming');
  });

  test('a budget -> the skipped rules are listed, and the run is incomplete because of a must rule', async () => {
    const probes = ['a', 'b', 'c'].map((name) => ({ ...passing, id: `test/${name}` }));
    const all = await judge(tinyAnswer, probes);
    const { report } = await judge(tinyAnswer, probes, {
      maxRequests: all.report.requests - 1,
    });
    expect(report.verdict).toBe('incomplete');
    expect(report.notJudged).toEqual([
      { rules: ['test/c'], why: expect.stringMatching(/budget of \d+ requests/) },
    ]);
  });

  test('a budget spent with requests in flight -> they are awaited, reported and counted', async () => {
    const clock = createFakeClock();
    const service: Service = async (url, { signal }) => {
      if (url.search.includes('late')) await sleep(clock, 1_000, signal);
      return tinyAnswer(url);
    };
    const many = probe('test/many', async ({ get }) => {
      const late = { path: '/api/v1.0/chains', query: [['late', '1']] } as const;
      await Promise.all(Array.from({ length: 99 }, () => get(late)));
      throw new Error('the budget holds no 99');
    });
    const { report, events } = await judge(service, [many], { maxRequests: 12, clock });
    const reported = events.filter(({ type }) => type === 'exchange').length;
    expect(report).toMatchObject({ requests: 12, replies: 12 });
    expect(reported).toBe(12);
    expect(events.at(-1)?.type).toBe('run-finished');
  });

  test('a probe with requests still running -> they stop once the run has ended', async () => {
    const asking: Promise<unknown>[] = [];
    const askOn = async (get: Parameters<ProbeRule['check']>[0]['get']) => {
      for (;;) await get({ path: '/api/v1.0/chains', query: [] });
    };
    const restless = probe('test/restless', async ({ get }, t) => {
      asking.push(askOn(get).catch((error: Error) => error.name));
      t.check();
    });
    const { report, events } = await judge(tinyAnswer, [restless]);
    expect(await Promise.all(asking)).toEqual(['RunStopped']);
    expect(report.verdict).toBe('conforming');
    expect(events.at(-1)?.type).toBe('run-finished');
  });

  test('a time budget -> the run ends within it, incomplete', async () => {
    const clock = createFakeClock();
    const service: Service = async (url, { signal }) => {
      await sleep(clock, 50, signal);
      return tinyAnswer(url);
    };
    const slow = probe('test/slow', async ({ get }) => {
      for (;;) await get({ path: '/api/v1.0/chains', query: [] });
    });
    const { report } = await judge(service, [slow], { maxTimeMs: 20_000, clock });
    expect(report).toMatchObject({ verdict: 'incomplete', durationMs: 20_000 });
    expect(report.rules[0]?.why).toBe(
      'the budget of 20 s is spent, since replies take 50 ms: pass a larger --max-time, or --profile quick',
    );
  });

  test('a budget spent after every rule had something to judge -> conforming, with a note in the reason', async () => {
    const anything: ReplyRule = { ...sixes, check: (_, t) => t.check() };
    const { report } = await judge(tinyAnswer, [passing, anything], {
      generator: { ...NO_TRAFFIC, traffic: firstOf(2_000) },
      maxRequests: 300,
    });
    expect(report).toMatchObject({
      verdict: 'conforming',
      reason:
        '2 `must` rules passed, but the run ended early: the budget of 300 requests is spent.',
    });
  });

  test('a chain that the service does not list -> incomplete, and never requested', async () => {
    const asked: string[] = [];
    const service: Service = (url) => {
      asked.push(url.href);
      return tinyAnswer(url);
    };
    const { report } = await judge(service, CATALOG, { chains: [7, 999] });
    expect(report).toMatchObject({
      verdict: 'incomplete',
      reason: '/chains does not list chain 999, only 7.',
    });
    expect(exitCodeOf(report)).toBe(3);
    expect(asked.filter((target) => target.includes('chainId=999'))).toEqual([]);
  });

  test.each([400, 401, 403])(
    'the key rejected with %d, like an unknown one -> incomplete, and no failure',
    async (status) => {
      const service: Service = (url) =>
        url.searchParams.get('apiKey') === 'another-key'
          ? tinyAnswer(url)
          : { status, body: { error: 'UNKNOWN_KEY', message: 'Who are you?' } };
      const { report } = await judge(service, CATALOG, { apiKey: 'wrong-key' });
      expect(report.reason).toBe(
        `The service rejects the API key as it rejects an unknown key (${status} "UNKNOWN_KEY": "Who are you?"). To fix this, pass a valid key with --api-key or SWAPCHECK_API_KEY.`,
      );
      expect(exitCodeOf(report)).toBe(3);
      expect(report.rules.filter(({ checks }) => checks > 0)).toEqual([]);
      expect(report.requests).toBe(10);
      const known = await judge(service, [passing], { apiKey: 'another-key' });
      expect(known.report.verdict).toBe('conforming');
    },
  );

  test('a rejected key in quotes -> the reason mentions the quotes', async () => {
    const service: Service = () => ({
      status: 401,
      body: { error: 'KEY', message: 'unknown key' },
    });
    const { report } = await judge(service, CATALOG, { apiKey: '"a-key-0815"' });
    expect(report.reason).toMatch(
      /pass a valid key with --api-key or SWAPCHECK_API_KEY; the API key is in quotes \("\), which are sent as part of the key: remove them\.$/,
    );
  });

  test('every lookup is redirected to https -> incomplete, with the URL to pass', async () => {
    const service: Service = ({ pathname, search }) => ({
      status: 308,
      headers: { location: `https://swap.example.org/root${pathname}${search}` },
      body: '',
    });
    const { report } = await judge(service, CATALOG);
    expect(report).toMatchObject({
      verdict: 'incomplete',
      reason:
        'The service redirects every request to https://swap.example.org/root: pass that URL.',
    });
    expect(report.rules.filter(({ checks }) => checks > 0)).toEqual([]);
  });

  test('only some lookups are redirected -> judged', async () => {
    const service: Service = (url) =>
      url.pathname.endsWith('/chains')
        ? { status: 301, headers: { location: `https://b.example${url.pathname}` }, body: '' }
        : tinyAnswer(url);
    expect((await judge(service, CATALOG)).report.verdict).toBe('nonconforming');
  });

  test.each<[string, Answer]>([
    ['a page of a firewall', { status: 403, body: '<html><title>Access denied</title>Ray 8f1' }],
    ['a missing header', { status: 400, body: { error: 'NO', message: 'x-tenant is missing' } }],
    ['nothing', { status: 401, body: '' }],
  ])(
    'every request is rejected with %s -> the reason quotes the reply, and does not blame the key',
    async (_, answer) => {
      const { report } = await judge(() => answer, CATALOG);
      expect(report.reason).toMatch(
        /^The service rejects every request in the same way, with or without a key: 40\d (".*(Access denied|x-tenant is missing).*"|without a body)\. If the key is valid/,
      );
      expect(exitCodeOf(report)).toBe(3);
      expect(report.rules.filter(({ checks }) => checks > 0)).toEqual([]);
    },
  );

  test.each<[string, Answer | NoReply, (readonly Rule[])?]>([
    ['500 without a message', { status: 500, body: { error: 'NO' } }, CATALOG],
    ['a redirect', { status: 302, headers: { location: '/login' }, body: 'Log in.' }],
    ['500 that asks to come again in an hour', { status: 500, headers: { 'retry-after': '3600' } }],
    ['silence', SILENCE],
    ['a reset', { kind: 'no-reply', cause: 'reset', message: 'the connection was reset' }],
  ])('a wrong or missing key gets %s -> all other rules judge as usual', async (...row) => {
    const [, answer, rules = DISTINCT_RULES] = row;
    const service: Service = (url) =>
      url.searchParams.getAll('apiKey').join() === 'key' ? tinyAnswer(url) : answer;
    const { report } = await judge(service, rules, { clock: createFakeClock() });
    const judged = ({ rules }: typeof report, kept: (id: string) => boolean) =>
      rules.flatMap(({ id, outcome }) => (kept(id) ? [`${id} ${outcome}`] : []));
    // Rules on keys and errors differ: the tiny service ignores keys, and returns no errors.
    const isOfAll = (id: string) => !/key|error.values/.test(id);
    const known = await tinyJudgedBy(rules);
    expect(judged(report, isOfAll)).toEqual(judged(known.report, isOfAll));
  });

  test('/chains rejected with 400, but an unknown key with 401 -> a failure', async () => {
    const service: Service = ({ searchParams }) => ({
      status: searchParams.get('apiKey') === 'key' ? 400 : 401,
      body: { error: 'NO', message: 'No.' },
    });
    const { report } = await judge(service, CATALOG);
    expect(report.verdict).toBe('nonconforming');
  });

  test('an abort -> an incomplete report, at once', async () => {
    const [clock, user] = [createFakeClock(), new AbortController()];
    const service: Service = async (url, { signal }) => {
      user.abort();
      await sleep(clock, 60_000, signal);
      return tinyAnswer(url);
    };
    const { report } = await judge(service, [passing], { signal: user.signal, clock });
    expect(report).toMatchObject({
      verdict: 'incomplete',
      reason: 'The run was ended early.',
      durationMs: 0,
    });
  });

  test('429 to everything -> incomplete, never a failure', async () => {
    const service: Service = () => ({ status: 429, headers: { 'retry-after': '0' }, body: {} });
    const { report } = await judge(service, CATALOG, { clock: createFakeClock() });
    expect(report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual(
      [],
    );
    expect(report.verdict).toBe('incomplete');
    expect(report.rateLimited).toBeGreaterThan(5);
  });

  test('503 to the first try of each request -> fails the rule on statuses and no other', async () => {
    const refused = new Set<string>();
    const service: Service = (url) => {
      if (refused.has(url.href)) return tinyAnswer(url);
      refused.add(url.href);
      return { status: 503, body: 'full' };
    };
    const failed = ({ rules }: Awaited<ReturnType<typeof judge>>['report']) =>
      rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    const { report } = await judge(service, CATALOG, { clock: createFakeClock() });
    expect(failed(report).filter((id) => id !== 'endpoint/status')).toEqual(
      failed((await tinyJudgedBy(CATALOG)).report),
    );
    expect(failed(report)).toContain('endpoint/status');
  });

  test('a rate limit that lifts -> judged completely', async () => {
    let served = 0;
    const service: Service = (url) =>
      served++ % 5 === 4
        ? { status: 429, headers: { 'retry-after': '30' }, body: {} }
        : tinyAnswer(url);
    const { report } = await judge(service, [passing], { clock: createFakeClock() });
    expect(report.verdict).toBe('conforming');
  });

  test('a waived failure -> shown, but not counted; a stale waiver -> fails the run', async () => {
    const broken = probe('test/broken', async ({ get }, t) => {
      const exchange = await get({ path: '/api/v1.0/swap', query: [['chainId', '7']] });
      t.check({ fault: 'y', expected: ['x'], actual: ['y'] }, exchange);
    });
    const waiver = { rule: 'test/broken', chain: 7, reason: 'known', expires: '2999-12-31' };
    const run = async (waivers: RunOptions['waivers']) =>
      (await judge(tinyAnswer, [broken, passing], { waivers: waivers ?? [] })).report;
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
    expect(unused.staleWaivers?.[0]?.why).toContain('no longer matches a failure on chain 7');
  });
});

describe('an operation that stops responding', () => {
  const deadTokens: Service = (url) => (url.pathname === PATHS.tokens ? SILENCE : tinyAnswer(url));
  const target = (path: string) => ({ path, query: [['chainId', '7']] }) as const;
  const anyReply: ReplyRule = {
    ...{ ...identity, kind: 'reply', id: 'test/any', title: 'any reply' },
    check: (_, t) => t.check(),
  };
  const swaps = (service: Service) => {
    const asked: string[] = [];
    const counting: Service = (url, request) => {
      asked.push(url.pathname);
      return service(url, request);
    };
    return { counting, count: (path: string) => asked.filter((each) => each === path).length };
  };

  test('in discovery -> the facts from the other operations remain', async () => {
    const { events } = await judge(
      (url) => (url.pathname === PATHS.swap ? SILENCE : tinyAnswer(url)),
      [anyReply],
      { clock: createFakeClock() },
    );
    const facts = events.find((event) => event.type === 'discovery-finished')?.facts;
    expect(facts?.tokens.get(7)).toHaveLength(2);
    expect(facts?.chainInfo.get(7)?.routers).toHaveLength(1);
  });

  test('in the traffic -> the other operations are requested, and the report counts the requests that were not sent', async () => {
    const { counting, count } = swaps(deadTokens);
    const paths = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? PATHS.tokens : PATHS.chainInfo,
    );
    const { report } = await judge(counting, [anyReply], {
      generator: { ...NO_TRAFFIC, traffic: () => paths.map(target) },
      ...{ clock: createFakeClock(), concurrency: 1 },
    });
    expect(count(PATHS.chainInfo)).toBe(31);
    const unsent = report.notJudged.find(({ why }) => why.includes('were not sent'));
    expect(unsent?.why).toMatch(
      /^the replies to 2\d requests that were not sent, since \/api\/v1.0\/tokens did not respond to 5 requests in a row$/,
    );
    expect(report.verdict).toBe('conforming');
  });

  test('in the repeats of an earlier run -> the other repeats are sent', async () => {
    const { counting, count } = swaps(deadTokens);
    const requests = [...Array(9).fill(PATHS.tokens), PATHS.chainInfo, PATHS.chainInfo];
    await judge(counting, [anyReply], {
      repeat: {
        rules: [],
        requests: requests.map((path) => `${path}?chainId=7&apiKey=$SWAPCHECK_API_KEY`),
      },
      ...{ clock: createFakeClock(), concurrency: 1 },
    });
    expect(count(PATHS.chainInfo)).toBe(3);
  });

  test('a probe of the operation -> could not run for that reason, not because the run ended', async () => {
    const asking = probe('test/tokens', async ({ get }) => {
      for (;;) await get(target(PATHS.tokens));
    });
    const { report } = await judge(deadTokens, [asking, passing], { clock: createFakeClock() });
    expect(report.rules).toMatchObject([
      { why: expect.stringContaining('tokens did not respond'), outcome: 'could-not-run' },
      { outcome: 'pass' },
    ]);
    expect(report.rules[0]?.sharedCause).toBeUndefined();
  });
});

test('a budget that is used up exactly -> the run did not end early', async () => {
  const { report } = await judge(tinyAnswer, [passing]);
  const exact = await judge(tinyAnswer, [passing], { maxRequests: report.requests });
  expect(exact.report.reason).toBe(report.reason);
});

test('seeds -> the first plan is requested with or without market makers', async () => {
  const firstOfSeed = async (seed: number) => {
    let first: string | undefined;
    const service: Service = (url) => {
      if (url.pathname === PATHS.swap) first ??= url.searchParams.get('useRfq') ?? 'none';
      return tinyAnswer(url);
    };
    await judge(service, [sixes], { seed });
    return first;
  };
  expect([await firstOfSeed(1), await firstOfSeed(2)]).toEqual(['true', 'none']);
});

describe('a service that dies during the run', () => {
  test('connections refused from one request on -> all rules share the reason, which names that request', async () => {
    let sent = 0;
    const service: Service = (url) => {
      sent += 1;
      const dead = { kind: 'no-reply', cause: 'refused', message: 'connection refused' } as const;
      return sent > 30 ? dead : tinyAnswer(url);
    };
    const many = probe('test/many', async ({ get }, t) => {
      for (let i = 0; i < 60; i++) await get({ path: PATHS.chains, query: [['n', String(i)]] });
      for (let time = 0; time < 60; time++) t.check();
    });
    const late = ['a', 'b', 'c'].map((name) => ({ ...many, id: `test/${name}` }));
    const { report } = await judge(service, [many, ...late], { concurrency: 1 });
    expect(report.verdict).toBe('incomplete');
    expect(report.reason).toContain(
      'The service stopped answering at request 31: connection refused.',
    );
    // JUnit has one error for each reason.
    const stuck = report.rules.filter(({ outcome }) => outcome === 'could-not-run');
    expect(new Set(stuck.map(({ why }) => why)).size).toBe(1);
  });
});

test('connections reset before the process is known to have ended -> its end is the reason', async () => {
  const service: Service = (url) =>
    url.pathname === PATHS.swap
      ? { kind: 'no-reply', cause: 'reset', message: 'the connection was reset' }
      : tinyAnswer(url);
  const [clock, process] = [createFakeClock(), new AbortController()];
  const dying = probe('test/dying', async ({ get }) => {
    clock.after(300, () => process.abort('npm start ended with 7'));
    await get({ path: PATHS.swap, query: [] });
  });
  const { report } = await judge(service, [dying], { clock, signal: process.signal });
  expect(report.reason).toBe('The run was ended early: npm start ended with 7.');
});

describe('bail', () => {
  const failing = (level: Rule['level'], id = `test/failing-${level}`) => ({
    ...probe(id, async ({ get }, t) => {
      const exchange = await get({ path: PATHS.chains, query: [] });
      t.check({ fault: 'that', expected: ['this'], actual: ['that'] }, exchange);
    }),
    level,
  });
  const late: ProbeRule = probe('test/late', async ({ get }, t) => {
    for (let i = 0; i < 50; i++) await get({ path: PATHS.chains, query: [['n', String(i)]] });
    for (let time = 0; time < 50; time++) t.check();
  });
  const bailing = (rules: readonly Rule[], options: Partial<RunOptions> = {}) =>
    judge(tinyAnswer, rules, { bail: true, concurrency: 1, ...options });

  test('a `must` that fails -> no more requests, and a note in the verdict', async () => {
    const { report } = await bailing([failing('must'), late]);
    expect(report.verdict).toBe('nonconforming');
    expect(report.reason).toBe(
      '1 `must` rule failed: test/failing-must. The run was cut short by --bail.',
    );
    expect(report.notJudged).toEqual([
      { rules: ['test/late'], why: '--bail: test/failing-must failed' },
    ]);
    expect(report.requests).toBeLessThan(50);
  });

  test('a `should` that fails -> ends the run only if `should` rules count', async () => {
    const { report } = await bailing([failing('should'), late]);
    expect(report.verdict).toBe('conforming');
    const strict = await bailing([failing('should'), late], { level: 'should' });
    expect(strict.report.reason).toContain('cut short by --bail');
  });

  test('a `must` whose failure a waiver covers -> the run continues', async () => {
    const rule = failing('must');
    const waivers = [{ rule: rule.id, reason: 'known', expires: '2999-01-01' }];
    const { report } = await bailing([rule, late], { waivers });
    expect(report.verdict).toBe('conforming');
  });
});

test('a waiver that no longer matches, with a callback -> passed to the callback, and not stale', async () => {
  const waivers = [
    { rule: 'test/passing', reason: 'fixed since', expires: '2999-01-01' },
    { rule: 'test/passing', reason: 'fixed, and expired', expires: '2001-01-01' },
  ];
  const dropped: unknown[] = [];
  const kept = await judge(tinyAnswer, [passing], { waivers });
  expect(kept.report.staleWaivers).toHaveLength(2);
  const { report } = await judge(tinyAnswer, [passing], {
    waivers,
    dropIdleWaiver: (waiver) => dropped.push(waiver),
  });
  expect(dropped).toEqual(waivers);
  expect(report.staleWaivers).toBeUndefined();
  expect(report.verdict).toBe('conforming');
});
