import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../model/events.ts';
import { TINY_BODIES, tinyService } from '../runner/tiny-service.testing.ts';
import { createSwapClient } from './client.ts';
import { defineRule, judgeReplies, runConformance } from './swapcheck.ts';

const SERVICE = { listener: tinyService };
const [chain] = TINY_BODIES.chains;

describe('runConformance', () => {
  test('a listener -> a report and its events in order, with no effect on the process', async () => {
    const writes = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockReturnValue(true),
    );
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => {
      process.off('warning', warn);
      for (const spy of writes) spy.mockRestore();
    });
    const signals = () => ['SIGINT', 'SIGTERM', 'exit'].map((name) => process.listenerCount(name));
    const before = [process.exitCode, ...signals()];
    const globals = Reflect.ownKeys(globalThis);
    const events: RunEvent['type'][] = [];
    const options = {
      service: SERVICE,
      apiKey: 'k',
      only: ['2.7'],
      profile: 'quick',
      requests: [],
    } as const;
    const report = await runConformance(options, ({ type }) => {
      if (!events.includes(type)) events.push(type);
    });
    expect(report).toMatchObject({ verdict: 'conforming', summary: { must: { fail: 0 } } });
    expect([events[0], events.at(-1)]).toEqual(['run-started', 'run-finished']);
    expect(events).toContain('rule-finished');
    expect([process.exitCode, ...signals()]).toEqual(before);
    expect(Reflect.ownKeys(globalThis)).toEqual(globals);
    // The library must set no engine flag for the calling program.
    expect(runInNewContext('typeof gc')).toBe('undefined');
    expect(writes.flatMap((spy) => spy.mock.calls)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('a signal that ends the run -> the report states it', async () => {
    const options = { service: SERVICE, apiKey: 'k', signal: AbortSignal.abort() };
    const { verdict, reason } = await runConformance(options);
    expect([verdict, reason]).toEqual(['incomplete', 'The run was ended early.']);
  });

  test.each([
    [{ service: { url: 'ftp://a' } }, /expected an http or https URL/],
    [{ requests: ['api'] }, /request 'api': expected a path and a query/],
    [{ only: ['no/such'] }, /no rule .*"no\/such"/],
    [{ rules: [{ id: 'x' } as never] }, /rule 1 \(x\) has no title: expected a text/],
  ])('%j -> throws an error that names the value', async (wrong, message) => {
    const options = { service: SERVICE, apiKey: 'k', ...wrong };
    await expect(runConformance(options)).rejects.toThrow(message);
  });
});

describe('custom rules', () => {
  const short = defineRule({
    kind: 'reply',
    id: 'short-plans',
    title: 'takes no step at all',
    endpoint: 'swap',
    check: ({ body: { routes } }, t) => {
      const fault = { expected: 'no routes', actual: `${routes.length}`, pointer: '/routes' };
      t.check(routes.length === 0 ? [] : fault);
    },
  });
  const doubles = defineRule({
    kind: 'relation',
    id: 'doubles',
    title: 'gives twice as much for twice as much',
    level: 'should',
    check: async ({ trades, ask }, t) => {
      for (const { sellAmount, buyAmount, ...pair } of trades.slice(0, 2)) {
        const [one, two] = await Promise.all([
          ask.swap({ ...pair, sellAmount }),
          ask.swap({ ...pair, sellAmount: 2n * sellAmount }),
        ]);
        if (one.kind !== 'returned' || two.kind !== 'returned') continue;
        const [bought, more] = [one, two].map(({ body }) => BigInt(body.buy.amount));
        const fault = { expected: '2', actual: `${more}` };
        t.check(more === 2n * (bought ?? 0n) ? [] : fault, two.exchange);
      }
    },
  });
  const judge = (options: Partial<Parameters<typeof runConformance>[0]>) =>
    runConformance({ service: SERVICE, apiKey: 'k', profile: 'quick', requests: [], ...options });

  test('a passing and a failing custom rule -> reported separately from the rules of the specification', async () => {
    const report = await judge({ only: ['own', '2.7'], rules: [short, doubles] });
    expect(report).toMatchObject({
      verdict: 'conforming',
      own: { verdict: 'broken', reason: 'Of your own rules, 1 failed: own/short-plans.' },
    });
    const { must, should } = report.summary;
    const counted = Object.values({ ...must, ...should }).length;
    expect([must.fail, should.fail, counted]).toEqual([0, 0, 6]);
    const own = report.rules.filter(({ clause }) => clause === 'own');
    expect(own.map(({ id, level, outcome }) => [id, level, outcome])).toEqual([
      ['own/short-plans', 'must', 'fail'],
      ['own/doubles', 'should', 'pass'],
    ]);
    expect(own[0]?.failures[0]).toMatchObject({ pointer: '/routes', expected: 'no routes' });
  });

  test('only custom rules selected -> the run is conforming if they pass', async () => {
    const { verdict, own } = await judge({
      only: ['own/doubles'],
      rules: [doubles],
      level: 'should',
    });
    expect([verdict, own?.verdict]).toEqual(['conforming', 'kept']);
  });

  test('a rule that asserts nothing, and a rule that throws -> could not run', async () => {
    const idle = defineRule({
      kind: 'probe',
      id: 'idle',
      title: 'sends requests',
      check: async () => {},
    });
    const wrong = defineRule({ ...short, id: 'wrong', check: (_, t) => t.check('yes' as never) });
    const { own, rules } = await judge({ only: ['own'], rules: [idle, wrong] });
    expect(own?.verdict).toBe('incomplete');
    expect(rules.map(({ why }) => why)).toEqual([
      'it asserted nothing',
      expect.stringMatching(/reported 'yes': expected \{ expected, actual \}/),
    ]);
  });

  test('a rule that awaits requests in turn when the run ends -> could not run, no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (why: unknown) => void unhandled.push(why);
    process.on('unhandledRejection', listen);
    onTestFinished(() => void process.off('unhandledRejection', listen));
    const controller = new AbortController();
    const inRow = defineRule({
      ...{ kind: 'probe', id: 'in-row', title: 'sends requests' },
      check: async ({ ask, get }) => {
        controller.abort();
        const swap = { chainId: 1, sellToken: '0x1', buyToken: '0x2', sellAmount: '3' };
        const replies = [
          ask.swap(swap),
          ask.chains(),
          get({ path: '/api/v1.0/chains', query: [] }),
        ];
        for (const reply of replies) await reply;
      },
    });
    const { rules } = await judge({
      ...{ only: ['own'], rules: [inRow], signal: controller.signal },
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(rules.map(({ outcome }) => outcome)).toEqual(['could-not-run']);
    expect(unhandled).toEqual([]);
  });

  test.each([
    [[1], /rule 1 is 1: expected the result of defineRule/],
    [[{ ...short, id: 'a b' }], /rule 1 has the id "a b": expected letters/],
    [[{ ...short, id: 5n }], /rule 1 has the id 5n: expected letters/],
    [[{ ...short, title: ' ' }], /rule 1 \(short-plans\) has the title " "/],
    [[{ ...short, kind: 'settlement' }], /has the kind "settlement": expected reply, probe or/],
    [[{ ...short, level: 'may' }], /has the level "may": expected must, should or observe/],
    [[{ ...short, endpoint: 'quote' }], /has the endpoint "quote": expected one of swap/],
    [[{ ...short, check: 1 }], /has the check 1: expected a function/],
    [[{ ...doubles, check: undefined }], /has no check: expected a function/],
    [[short, short], /rule 2 has the same id "short-plans" as another/],
  ])('%o -> rejected', async (rules, message) => {
    await expect(judge({ rules: rules as never })).rejects.toThrow(message);
  });
});

describe('judgeReplies', () => {
  test('only rejections, one of them invalid -> the URL is not doubted', async () => {
    const url = 'https://a.example/api/v1.0/chains?apiKey=k';
    const { reason } = await judgeReplies([{ url, status: 400, body: '[]' }]);
    expect(reason).toBe('1 `must` rule failed in 1 captured reply (1 of /chains): error/body.');
  });

  test('replies in memory -> judged, with bodies as text or JSON', async () => {
    const url = 'https://a.example/api/v1.0/chains?apiKey=3f9c1e70aa';
    const bodies = [TINY_BODIES.chains, JSON.stringify(TINY_BODIES.chains)];
    const report = await judgeReplies(bodies.map((body) => ({ url, status: 200, body })));
    expect(report).toMatchObject({ verdict: 'no-failure', replies: 2, target: 'replies' });
    const twice = [{ url, status: 200, body: [chain, chain] }];
    const broken = await judgeReplies(twice, { only: ['chain/chain-id-unique'] });
    expect(broken).toMatchObject({ verdict: 'nonconforming' });
    expect(JSON.stringify(broken)).not.toContain('3f9c1e70aa');
  });

  test('a number beyond double precision -> shown as sent, with its context', async () => {
    const url = 'https://a.example/api/v1.0/tokens?chainId=1&apiKey=k';
    const body = '[{"name":"A", "decimals":1e400}]';
    const { rules } = await judgeReplies([{ url, status: 200, body }], { only: ['2.6 decimals'] });
    expect(rules.flatMap((rule) => rule.failures)).toMatchObject([
      { actual: '1e400', place: { pointer: '/0', text: '{"name":"A", "decimals":1e400}' } },
    ]);
  });

  test('a reply of another interface -> throws an error with its number', async () => {
    const replies = [{ body: TINY_BODIES.chains }, { url: 'https://a.example/b', body: 1 }];
    await expect(judgeReplies(replies)).rejects.toThrow(
      /^reply 2 is a request to "https:\/\/a.example\/b"/,
    );
  });
});

describe('createSwapClient', () => {
  test('an invalid base URL -> throws', () => {
    expect(() => createSwapClient({ baseUrl: 'a', apiKey: 'k' })).toThrow(/expected an http/);
  });

  test('no service -> a result of kind no-reply', async () => {
    const client = createSwapClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' });
    expect(await client.chains()).toMatchObject({ kind: 'no-reply', cause: 'refused' });
    const signal = AbortSignal.abort();
    expect(await client.chains({ signal })).toMatchObject({ kind: 'no-reply', cause: 'aborted' });
    await client.close();
  });
});
