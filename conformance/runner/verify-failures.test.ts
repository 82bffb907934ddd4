import { describe, expect, test } from 'vitest';
import { sleep } from '../client/clock.ts';
import { createFakeClock } from '../client/fake-clock.testing.ts';
import { type Service, SILENCE } from '../client/in-process.testing.ts';
import { PATHS } from '../contract/paths.ts';
import type { ProbeRule, ReplyRule } from '../model/rule.ts';
import { words } from '../model/statement.ts';
import { CATALOG } from '../rules/catalog.ts';
import { type JudgeOptions, judgeService, NO_TRAFFIC } from './judge-service.testing.ts';

import { TINY_BODIES, tinyAnswer, tinyPlan } from './tiny-service.testing.ts';

const [{ address: usd }, { address: wrapped }] = TINY_BODIES.tokens;
const swap = (sellAmount: string) => ({
  path: PATHS.swap,
  query: Object.entries({ chainId: '7', sellToken: wrapped, buyToken: usd, sellAmount }),
});
const rules = CATALOG.filter(({ id }) => id === 'swap/sell-amount-echoed');
const wrong = (url: URL) => {
  const other = new URL(url);
  other.searchParams.set('sellAmount', '77');
  return tinyAnswer(other);
};

async function judge(service: Service, options: JudgeOptions = {}) {
  const traffic = () => [swap('1000000'), swap('1000003')];
  const { report, events } = await judgeService(service, {
    ...{ rules, concurrency: 1, ...options },
    generator: { ...NO_TRAFFIC, traffic },
  });
  return { report, events, failure: report.rules[0]?.failures[0] };
}

test('a request that fails whenever it is sent -> fails alone', async () => {
  const { failure } = await judge((url) => wrong(url));
  expect(failure?.repeat).toMatchObject({ outcome: 'fails', sent: 1, failed: 1 });
  expect(failure?.repeat?.requests).toEqual([failure?.exchange.target]);
});

test('failures that are sent again -> the last phase is `verifying`', async () => {
  const { events } = await judge((url) => wrong(url));
  const phases = events.flatMap((event) => (event.type === 'progress' ? event.progress.phase : []));
  expect([...new Set(phases)].slice(-2)).toEqual(['shrinking', 'verifying']);
});

test('a cache whose key lacks the amount -> the two requests that fail in order, and their commands', async () => {
  const cached = new Map<string, ReturnType<typeof tinyAnswer>>();
  const { failure } = await judge((url) => {
    if (url.pathname !== PATHS.swap) return tinyAnswer(url);
    // Pairs and amounts of one size share an entry.
    const amount = url.searchParams.get('sellAmount') ?? '';
    const key = `${url.searchParams.get('sellToken')} ${amount.length} ${amount.slice(0, 3)}`;
    const reply = cached.get(key) ?? tinyAnswer(url);
    cached.set(key, reply);
    return reply;
  });
  expect(failure?.belongsTo?.ignored).toEqual(['sellAmount']);
  expect(failure?.repeat).toMatchObject({ outcome: 'fails-after-another', sent: 2, failed: 1 });
  const [first, second, ...more] = failure?.repeat?.requests ?? [];
  expect(more).toEqual([]);
  expect(first).not.toBe(second);
  expect(failure?.curl).toMatch(/^curl .* && curl /);
});

test('a cache that ignores amounts altogether -> fails again, with both requests in order', async () => {
  const cached = new Map<string, ReturnType<typeof tinyAnswer>>();
  const { failure } = await judge((url) => {
    if (url.pathname !== PATHS.swap) return tinyAnswer(url);
    const key = new URL(url);
    key.searchParams.delete('sellAmount');
    const reply = cached.get(key.search) ?? tinyAnswer(url);
    cached.set(key.search, reply);
    return reply;
  });
  expect(failure?.repeat).toMatchObject({ outcome: 'fails', sent: 2, failed: 1 });
  expect(failure?.repeat?.requests).toEqual([failure?.belongsTo?.target, failure?.exchange.target]);
});

test('a failure that does not occur again -> intermittent', async () => {
  let failed = 0;
  const { failure } = await judge((url) => {
    const isWrong = url.searchParams.get('sellAmount') === '1000003' && failed++ === 0;
    return isWrong ? wrong(url) : tinyAnswer(url);
  });
  expect(failure?.repeat).toMatchObject({ outcome: 'intermittent', sent: 3, failed: 0 });
});

test.each([
  ['a 500', () => ({ status: 500, body: {} }), 'status 500'],
  ['no reply', () => SILENCE, expect.stringMatching(/^no reply: ./)],
] as const)(
  'repeats with %s, which the rule does not judge -> unclear, with the reply',
  async (_, other, reply) => {
    let sent = 0;
    const { failure } = await judge((url) => {
      if (url.searchParams.get('sellAmount') !== '1000003') return tinyAnswer(url);
      return sent++ === 0 ? wrong(url) : other();
    });
    const unjudged = { replies: 3, reply };
    expect(failure?.repeat).toMatchObject({ outcome: 'not-judged', sent: 3, failed: 0, unjudged });
  },
);

test('one repeat without a reply -> intermittent, with the reply that could not be judged', async () => {
  let sent = 0;
  const { failure } = await judge((url) => {
    if (url.searchParams.get('sellAmount') !== '1000003') return tinyAnswer(url);
    sent++;
    if (sent === 1) return wrong(url);
    return sent === 2 ? SILENCE : tinyAnswer(url);
  });
  const repeat = { outcome: 'intermittent', sent: 3, failed: 0, unjudged: { replies: 1 } };
  expect(failure?.repeat).toMatchObject(repeat);
});

test('a budget that is spent -> nothing is repeated', async () => {
  const whole = await judge((url) => wrong(url));
  const { failure, report } = await judge((url) => wrong(url), {
    maxRequests: whole.report.requests - 1,
  });
  expect(failure).toBeDefined();
  expect(failure?.repeat).toBeUndefined();
  expect(report.requests).toBeLessThan(whole.report.requests);
});

describe('failures of rules that send their own requests', () => {
  const AMOUNT = '424242';
  const identity = { clause: '4.1 sellAmount', level: 'must' } as const;
  const fault = { fault: 'wrong', expected: words`the sold amount`, actual: words`another` };
  const check: ProbeRule['check'] = async ({ get }, t) => {
    const exchange = await get(swap(AMOUNT));
    const isWrong = exchange.outcome.kind === 'reply' && !exchange.outcome.text.includes(AMOUNT);
    t.check(isWrong ? fault : undefined, exchange);
  };
  const probe: ProbeRule = { ...identity, kind: 'probe', id: 'test/probe', title: 'probe', check };

  /** Judges a service that gets the number of each request with the amount, from 1. */
  async function judgeProbe(
    service: (call: number, signal: AbortSignal) => ReturnType<Service>,
    options: JudgeOptions = {},
  ) {
    let calls = 0;
    const { report } = await judgeService(
      (url, { signal }) => {
        const isProbed = url.searchParams.get('sellAmount') === AMOUNT;
        return isProbed ? service(++calls, signal) : tinyAnswer(url);
      },
      { rules: [probe], generator: NO_TRAFFIC, concurrency: 1, ...options },
    );
    const [rule] = report.rules;
    return { report, calls, rule, failure: rule?.failures[0] };
  }
  const plan = (amount: string) => ({ body: tinyPlan(amount) });

  test.each(['probe', 'relation'] as const)(
    'a %s that always fails -> fails again, counted once',
    async (kind) => {
      const { calls, rule, failure, report } = await judgeProbe(() => plan('7'), {
        rules: [{ ...probe, kind }],
      });
      expect(calls).toBe(2);
      expect(failure).toMatchObject({ repeat: { outcome: 'fails' }, count: 1 });
      expect(failure?.curl).toContain(AMOUNT);
      expect(rule).toMatchObject({ outcome: 'fail', checks: 1 });
      expect(report.verdict).toBe('nonconforming');
    },
  );

  test('a failure that occurs only once -> intermittent, and the rule still fails', async () => {
    const { calls, rule, failure, report } = await judgeProbe((call) =>
      plan(call === 1 ? '7' : AMOUNT),
    );
    expect(calls).toBe(2);
    expect(failure).toMatchObject({ repeat: { outcome: 'intermittent' }, count: 1 });
    expect(rule).toMatchObject({ outcome: 'fail', checks: 1 });
    expect(report.verdict).toBe('nonconforming');
  });

  test('a repeat that breaks rules which passed -> they still pass', async () => {
    const noEights: ReplyRule = {
      ...{ ...identity, kind: 'reply', endpoint: 'swap', id: 'test/no-eights', title: 'no eights' },
      check: ({ reply }, t) => t.check(reply.text.includes('"88888888"') ? fault : undefined),
    };
    const service = (call: number) => plan(call === 1 ? '7' : '88888888');
    const { report } = await judgeProbe(service, { rules: [probe, noEights] });
    expect(report.rules).toMatchObject([
      { outcome: 'fail', failures: [{ repeat: { outcome: 'fails' } }] },
      { outcome: 'pass' },
    ]);
    const passing = await judgeProbe(() => plan(AMOUNT), { rules: [probe, noEights] });
    expect(report.rules[1]?.checks).toBe(passing.report.rules[1]?.checks);
  });

  describe('a repeat that is stopped, and a `should` rule that failed', () => {
    const chainName = CATALOG.filter(({ id }) => id === 'chain/name');
    const rules = [{ ...probe, level: 'should' } as const, ...chainName];

    test('the budget is spent -> no repeat, and the same verdict', async () => {
      const whole = await judgeProbe(() => plan('7'), { rules });
      expect(whole.failure?.repeat).toEqual({ outcome: 'fails' });
      const { report, failure } = await judgeProbe(() => plan('7'), {
        ...{ rules, maxRequests: whole.report.requests - 1 },
      });
      expect(report.requests).toBe(whole.report.requests - 1);
      expect(failure).toMatchObject({ count: 1 });
      expect(failure?.repeat).toBeUndefined();
      const { verdict, reason } = whole.report;
      expect(report).toMatchObject({ verdict, reason });
      expect(verdict).toBe('conforming');
    });

    test('the time is over -> no repeat, and the same verdict', async () => {
      const whole = await judgeProbe(() => plan('7'), { rules });
      const clock = createFakeClock();
      const { calls, report, failure } = await judgeProbe(
        async (call, signal) => {
          if (call === 2) await sleep(clock, 60_000, signal);
          return plan('7');
        },
        { rules, clock, maxTimeMs: 20_000 },
      );
      expect(calls).toBe(2);
      expect(failure).toMatchObject({ count: 1 });
      expect(failure?.repeat).toBeUndefined();
      const { verdict, reason } = whole.report;
      expect(report).toMatchObject({ verdict, reason });
    });
  });

  test.each([
    ['the user', undefined],
    ['the end of the service', 'the service ended'],
  ])(
    '%s ends the repeats -> the verdict of a run that was judged completely',
    async (_, reason) => {
      const interruption = new AbortController();
      const whole = await judgeProbe(() => plan('7'));
      const { calls, report, failure } = await judgeProbe(
        (call) => {
          if (call === 2) interruption.abort(reason);
          return plan('7');
        },
        { signal: interruption.signal },
      );
      expect(calls).toBe(2);
      expect(failure?.repeat).toBeUndefined();
      const { verdict, reason: why, notJudged } = whole.report;
      expect(report).toMatchObject({ verdict, reason: why, notJudged });
      expect(verdict).toBe('nonconforming');
    },
  );

  test('more causes than are repeated -> the rule runs again only once', async () => {
    const many: ProbeRule['check'] = async ({ get }, t) => {
      const exchange = await get(swap(AMOUNT));
      for (let at = 0; at < 30; at++) t.check({ ...fault, fault: `fault ${at}` }, exchange);
    };
    const { calls, rule } = await judgeProbe(() => plan('7'), {
      rules: [{ ...probe, check: many }],
    });
    expect(calls).toBe(2);
    const repeated = rule?.failures.filter(({ repeat }) => repeat !== undefined);
    expect(repeated?.length).toBe(24);
  });

  test('a request without a reply -> endpoint/answers fails, intermittently', async () => {
    const answers = CATALOG.filter(({ id }) => id === 'endpoint/answers');
    let calls = 0;
    const { report } = await judgeService(
      (url) => {
        const isLost = url.searchParams.get('sellAmount') === AMOUNT && calls++ === 0;
        return isLost ? SILENCE : tinyAnswer(url);
      },
      { rules: answers, generator: { ...NO_TRAFFIC, traffic: () => [swap(AMOUNT)] } },
    );
    expect(report.rules[0]).toMatchObject({
      outcome: 'fail',
      failures: [{ count: 1, repeat: { outcome: 'intermittent', sent: 3, failed: 0 } }],
    });
  });
});
