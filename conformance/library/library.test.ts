import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../model/events.ts';
import { TINY_BODIES, tinyService } from '../runner/tiny-service.testing.ts';
import { createSwapClient } from './client.ts';
import { defineRule, judgeReplies, runConformance } from './swapcheck.ts';

const SERVICE = { listener: tinyService };
const [chain] = TINY_BODIES.chains;

describe('runConformance', () => {
  test('a listener -> a report, its events in order, and no trace in the process', async () => {
    const said = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockReturnValue(true),
    );
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => {
      process.off('warning', warn);
      for (const spy of said) spy.mockRestore();
    });
    const signals = () => ['SIGINT', 'SIGTERM', 'exit'].map((name) => process.listenerCount(name));
    const before = [process.exitCode, ...signals()];
    const globals = Reflect.ownKeys(globalThis);
    const events: RunEvent['type'][] = [];
    const options = { service: SERVICE, apiKey: 'k', only: ['2.7'], requests: [], concurrency: 40 };
    const report = await runConformance(options, ({ type }) => {
      if (!events.includes(type)) events.push(type);
    });
    expect(report).toMatchObject({ verdict: 'conforming', summary: { must: { fail: 0 } } });
    expect([events[0], events.at(-1)]).toEqual(['run-started', 'run-finished']);
    expect(events).toContain('rule-finished');
    expect([process.exitCode, ...signals()]).toEqual(before);
    expect(Reflect.ownKeys(globalThis)).toEqual(globals);
    // No flag of the engine was set for the program that calls.
    expect(runInNewContext('typeof gc')).toBe('undefined');
    expect(said.flatMap((spy) => spy.mock.calls)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('a signal that ends it -> says so', async () => {
    const options = { service: SERVICE, apiKey: 'k', signal: AbortSignal.abort() };
    const { verdict, reason } = await runConformance(options);
    expect([verdict, reason]).toEqual(['incomplete', 'The run was ended early.']);
  });

  test.each([
    [{ service: { url: 'ftp://a' } }, /expected an http or https URL/],
    [{ requests: ['api'] }, /request 'api': expected a path and a query/],
    [{ only: ['no/such'] }, /no rule .*"no\/such"/],
    [{ rules: [{ id: 'x' } as never] }, /rule 1 \(x\) has the title missing/],
  ])('%j -> throws, naming it', async (wrong, message) => {
    const options = { service: SERVICE, apiKey: 'k', ...wrong };
    await expect(runConformance(options)).rejects.toThrow(message);
  });
});

describe('rules of your own', () => {
  const short = defineRule({
    kind: 'reply',
    id: 'short-plans',
    title: 'takes no step at all',
    endpoint: 'swap',
    judge: ({ body }) =>
      body.routes.length === 0 || {
        expected: 'no routes',
        actual: `${body.routes.length}`,
        pointer: '/routes',
      },
  });
  const doubles = defineRule({
    kind: 'relation',
    id: 'doubles',
    title: 'gives twice as much for twice as much',
    level: 'should',
    run: async ({ trades, ask, check }) => {
      for (const { sellAmount, buyAmount, ...pair } of trades.slice(0, 2)) {
        const [one, two] = await Promise.all([
          ask.swap({ ...pair, sellAmount }),
          ask.swap({ ...pair, sellAmount: 2n * sellAmount }),
        ]);
        if (one.kind !== 'answered' || two.kind !== 'answered') continue;
        const [bought, more] = [one, two].map(({ body }) => BigInt(body.buy.amount));
        check(two.exchange, more === 2n * (bought ?? 0n) || { expected: '2', actual: `${more}` });
      }
    },
  });
  const judge = (options: Partial<Parameters<typeof runConformance>[0]>) =>
    runConformance({ service: SERVICE, apiKey: 'k', requests: [], ...options });

  test('one kept and one broken -> apart from the rules of the specification', async () => {
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

  test('alone -> their verdict is that of the run', async () => {
    const { verdict, own } = await judge({
      only: ['own/doubles'],
      rules: [doubles],
      level: 'should',
    });
    expect([verdict, own?.verdict]).toEqual(['conforming', 'kept']);
  });

  test('one that says nothing, and one that throws -> could not run', async () => {
    const idle = defineRule({ kind: 'probe', id: 'idle', title: 'asks', run: async () => {} });
    const wrong = defineRule({ ...short, id: 'wrong', judge: () => 'yes' as never });
    const { own, rules } = await judge({ only: ['own'], rules: [idle, wrong] });
    expect(own?.verdict).toBe('incomplete');
    expect(rules.map(({ why }) => why)).toEqual([
      'it asserted nothing',
      expect.stringMatching(/said "yes": expected true, or \{ expected, actual \}/),
    ]);
  });

  test('one that awaits requests in a row as the run ends -> could not run, no rejection unheard', async () => {
    const unheard: unknown[] = [];
    const hear = (why: unknown) => void unheard.push(why);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    const controller = new AbortController();
    const inRow = defineRule({
      ...{ kind: 'probe', id: 'in-row', title: 'asks' },
      run: async ({ ask, get }) => {
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
    expect(unheard).toEqual([]);
  });

  test.each([
    [[1], /rule 1 is 1: expected an object of defineRule/],
    [[{ ...short, id: 'a b' }], /rule 1 has the id "a b": expected letters/],
    [[{ ...short, title: ' ' }], /rule 1 \(short-plans\) has the title " "/],
    [[{ ...short, kind: 'settlement' }], /has the kind "settlement": expected reply, probe or/],
    [[{ ...short, level: 'may' }], /has the level "may": expected must, should or observe/],
    [[{ ...short, endpoint: 'quote' }], /has the endpoint "quote": expected one of swap/],
    [[{ ...short, judge: 1 }], /has the judge 1: expected a function/],
    [[{ ...doubles, run: undefined }], /has the run missing: expected a function/],
    [[short, short], /rule 2 has the id "short-plans" of another/],
  ])('%j -> refused', async (rules, message) => {
    await expect(judge({ rules: rules as never })).rejects.toThrow(message);
  });
});

describe('judgeReplies', () => {
  test('refusals alone, one of them broken -> nobody is asked whether the URL is right', async () => {
    const url = 'https://a.example/api/v1.0/chains?apiKey=k';
    const { reason } = await judgeReplies([{ url, status: 400, body: '[]' }]);
    expect(reason).toBe('1 `must` rule failed: error/body.');
  });

  test('replies that a program holds -> judged, whatever form their bodies have', async () => {
    const url = 'https://a.example/api/v1.0/chains?apiKey=3f9c1e70aa';
    const bodies = [TINY_BODIES.chains, JSON.stringify(TINY_BODIES.chains)];
    const report = await judgeReplies(bodies.map((body) => ({ url, status: 200, body })));
    expect(report).toMatchObject({ verdict: 'conforming', replies: 2, target: 'replies' });
    const twice = [{ url, status: 200, body: [chain, chain] }];
    const broken = await judgeReplies(twice, { only: ['chain/chain-id-unique'] });
    expect(broken).toMatchObject({ verdict: 'nonconforming' });
    expect(JSON.stringify(broken)).not.toContain('3f9c1e70aa');
  });

  test('a number that no double holds -> told as it came, with what is around it', async () => {
    const url = 'https://a.example/api/v1.0/tokens?chainId=1&apiKey=k';
    const body = '[{"name":"A", "decimals":1e400}]';
    const { rules } = await judgeReplies([{ url, status: 200, body }], { only: ['2.6 decimals'] });
    expect(rules.flatMap((rule) => rule.failures)).toMatchObject([
      { actual: '1e400', place: { pointer: '/0', text: '{"name":"A", "decimals":1e400}' } },
    ]);
  });

  test('a reply of something else -> throws, naming which', async () => {
    const replies = [{ body: TINY_BODIES.chains }, { url: 'https://a.example/b', body: 1 }];
    await expect(judgeReplies(replies)).rejects.toThrow(/^reply 2 asks "https:\/\/a.example\/b"/);
  });
});

describe('createSwapClient', () => {
  test('a base URL that is none -> throws', () => {
    expect(() => createSwapClient({ baseUrl: 'a', apiKey: 'k' })).toThrow(/expected an http/);
  });

  test('nobody there -> no reply, as a value', async () => {
    const client = createSwapClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' });
    expect(await client.chains()).toMatchObject({ kind: 'no-reply', cause: 'refused' });
    const signal = AbortSignal.abort();
    expect(await client.chains({ signal })).toMatchObject({ kind: 'no-reply', cause: 'aborted' });
    await client.close();
  });
});
