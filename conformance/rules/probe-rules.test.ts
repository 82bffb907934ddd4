import { describe, expect, test } from 'vitest';
import type { Query } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { PARAMETERS } from '../generate/parameters.ts';
import { parameterIn } from '../generate/trades.ts';
import type { ProbeRule } from '../model/rule.ts';
import { isNative } from '../rule-kit/request-parameters.ts';
import { CATALOG } from './catalog.ts';
import { BOUGHT, type Loose } from './golden.testing.ts';
import { type Answer, modelFacts, modelSession, type Sabotage } from './model-service.testing.ts';

const probes = CATALOG.filter((rule): rule is ProbeRule => 'run' in rule);
const probe = (id: string): ProbeRule => {
  const found = probes.find((rule) => rule.id === id);
  if (found === undefined) throw new Error(`no probe ${id}`);
  return found;
};

describe('a service that keeps every promise', () => {
  test.each(probes.map((rule) => [rule.id, rule] as const))(
    '%s -> judged, no finding',
    async (_id, rule) => {
      const verdict = await rule.run(modelSession());
      if (verdict.kind !== 'judged') throw new Error(JSON.stringify(verdict));
      expect(verdict.findings.map(({ expected, actual }) => ({ expected, actual }))).toEqual([]);
      expect(verdict.checks).toBeGreaterThan(0);
      if (rule.level === 'observe') expect(verdict.observed).toMatch(/./);
    },
  );
});

describe('a service that needs RFQ for every plan', () => {
  const isWithout: Sabotage = (answer, params, path) =>
    path === PATHS.swap && parameterIn(params, 'useRfq') !== 'true' && answer.status === 200
      ? { status: 400, body: { error: 'NO_ROUTE', message: 'no' } }
      : answer;
  const market = modelFacts.markets.get(31337);
  if (market === undefined) throw new Error('the model has no market');
  const markets = new Map([
    [31337, { ...market, requiredParameters: [['useRfq', 'true']] as const }],
  ]);

  test.each(probes.map((rule) => [rule.id, rule] as const))('%s -> no finding', async (_, rule) => {
    const session = modelSession(isWithout);
    const verdict = await rule.run({ ...session, facts: { ...session.facts, markets } });
    expect(verdict.kind === 'judged' ? verdict.findings : []).toEqual([]);
  });
});

const ok = (body: Loose): Answer => ({ status: 200, body });
const on =
  (
    test: (params: readonly (readonly [string, string])[], path: string) => boolean,
    change: (answer: Answer) => Answer,
  ): Sabotage =>
  (answer, params, path) =>
    test(params, path) ? change(answer) : answer;
const plan = (change: (body: Loose) => Loose) => (answer: Answer) =>
  answer.status === 200 && answer.body.routes !== undefined
    ? ok(change(structuredClone(answer.body)))
    : answer;
const fewer = plan((body) => {
  const less = String((BigInt(body.buy.amount) * 9n) / 10n);
  body.buy.amount = less;
  return body;
});
const dearer = plan((body) => ({
  ...body,
  sell: { ...body.sell, amount: String(BigInt(body.sell.amount) * 2n) },
}));
const cheaper = plan((body) => ({
  ...body,
  sell: { ...body.sell, amount: String((BigInt(body.sell.amount) * 9n) / 10n) },
}));
const same = (params: Query, one: string, other: string) =>
  has(one)(params) && parameterIn(params, one) === parameterIn(params, other);
const isCalldata = (params: Query) => has('includeCalldata', 'true')(params);
const has = (name: string, value?: string) => (params: Query) =>
  params.some(([each, text]) => each === name && (value === undefined || text === value));
const refuse = (): Answer => ({ status: 400, body: { error: 'NO', message: 'no' } });
const notFound = (): Answer => ({ status: 404, body: { error: 'NO', message: 'no' } });

/** Breaks the second reply to each request alone. */
const everySecond = (change: (answer: Answer) => Answer): Sabotage => {
  const asked = new Map<string, number>();
  return (answer, params) => {
    const key = JSON.stringify(params);
    const times = (asked.get(key) ?? 0) + 1;
    asked.set(key, times);
    return times === 2 ? change(answer) : answer;
  };
};

describe('a broken service', () => {
  test.each<[id: string, sabotage: Sabotage]>([
    ['relation/native-aliases', on((p) => p.some(([, v]) => /^0xe{40}$/.test(v)), fewer)],
    ['relation/native-aliases', on((p) => p.some(([, v]) => /^0xe{40}$/.test(v)), refuse)],
    ['relation/default-rfq', on(has('useRfq', 'false'), fewer)],
    ['relation/default-router', on(has('router', 'default-router'), fewer)],
    ['relation/default-calldata', on(has('includeCalldata', 'false'), fewer)],
    ['relation/calldata-leaves-plan', on(has('includeCalldata', 'true'), fewer)],
    ['relation/slippage-leaves-plan', on(has('slippageTolerance', '0.5'), fewer)],
    ['relation/recipient-leaves-plan', on(has('recipientAddress'), fewer)],
    ['relation/user-leaves-plan', on((p) => /77$/.test(parameterIn(p, 'userAddress')), fewer)],
    ['relation/letter-case', on((p) => /[A-F]/.test(parameterIn(p, 'sellToken')), refuse)],
    ['relation/parameter-order', on((p) => p[0]?.[0] !== 'chainId', refuse)],
    ['relation/repeats', everySecond(fewer)],
    ['relation/exact-output-costs-no-more', on(has('buyAmount'), dearer)],
    [
      'relation/more-in-no-less-out',
      on(
        (p) => parameterIn(p, 'sellAmount').length > 22,
        plan((b) => ({ ...b, buy: { ...b.buy, amount: '1' } })),
      ),
    ],
    [
      'relation/price-does-not-improve',
      on(
        (p) => parameterIn(p, 'sellAmount').length > 22,
        plan((b) => ({ ...b, buy: { ...b.buy, amount: `${b.buy.amount}0000` } })),
      ),
    ],
    [
      'swap-response/calldata-differs',
      on(
        has('includeCalldata', 'true'),
        plan((body) => ({ ...body, calldata: '0x3593564c' })),
      ),
    ],
    ['swap/slippage-bounds', on(has('slippageTolerance', '1'), refuse)],
    ['swap/slippage-bounds', on(has('slippageTolerance', '0'), refuse)],
    ['swap/slippage-bounds', on(has('slippageTolerance', '0.0003'), refuse)],
    ['swap/flags-accepted', on(has('useRfq', 'true'), refuse)],
    ['swap/recipient-accepted', on(has('recipientAddress'), refuse)],
    [
      'swap/flags-accepted',
      on((p) => has('useRfq', 'true')(p) && has('includeCalldata')(p), refuse),
    ],
    ['swap/recipient-accepted', on((p) => same(p, 'recipientAddress', 'userAddress'), refuse)],
    ['swap/user-accepted', on((p) => /C0FFEE/.test(parameterIn(p, 'userAddress')), refuse)],
    ['swap/unused-accepted', on((p) => has('userAddress')(p) && !isCalldata(p), refuse)],
    ['swap/unused-accepted', on((p) => has('slippageTolerance')(p) && !isCalldata(p), refuse)],
    ['swap/every-plan-encoded', on((p) => has('buyAmount')(p) && isCalldata(p), refuse)],
    ['swap/every-plan-encoded', on((p) => isCalldata(p) && !has('router')(p), refuse)],
    ['swap/native-accepted', on((p) => isNative(parameterIn(p, 'sellToken')), refuse)],
    [
      'swap/native-accepted',
      on((p) => isNative(parameterIn(p, 'buyToken')) && isCalldata(p), refuse),
    ],
    ['plan/returned-for-buy-amount', on(has('buyAmount'), refuse)],
    ['swap/exact-output-answered', on(has('buyAmount'), refuse)],
    ['swap/bought-can-be-sold', on((p) => parameterIn(p, 'sellToken') === BOUGHT, refuse)],
    ['relation/exact-output-costs-no-less', on(has('buyAmount'), cheaper)],
    ['relation/letter-case', on((p) => /^0xE/.test(parameterIn(p, 'sellToken')), refuse)],
    ['relation/parameter-order', on((p) => p[0]?.[0] === 'apiKey', refuse)],
    ['swap/routers-plan', on(has('router', 'service-router'), refuse)],
    ['swap/encoders-encode', on(has('includeCalldata', 'true'), refuse)],
    ['swap/smallest-amounts', on(has('sellAmount', '0'), () => ok({}))],
    ['swap/smallest-amounts', on(has('buyAmount', '1'), notFound)],
    [
      'swap/key-required',
      on(
        (p, path) => !has('apiKey')(p) && path === PATHS.swap,
        () => ok({}),
      ),
    ],
    [
      'tokens/key-required',
      on(
        (p, path) => !has('apiKey')(p) && path === PATHS.tokens,
        () => ok([]),
      ),
    ],
    [
      'chains/key-required',
      on(
        (p, path) => has('apiKey', '')(p) && path === PATHS.chains,
        () => ok([]),
      ),
    ],
    [
      'chain-info/key-required',
      on(
        (p, path) => !has('apiKey')(p) && path === PATHS.chainInfo,
        () => ok({}),
      ),
    ],
    ['keys/key-is-enough', () => ({ status: 403, body: {} })],
    ['endpoint/paths', on((_p, path) => path === PATHS.swap, notFound)],
    ['endpoint/get', on((_p, path) => path === PATHS.chains, notFound)],
    [
      'lookups/every-chain',
      on((p, path) => has('chainId', '501')(p) && path === PATHS.tokens, refuse),
    ],
  ])('%s -> found', async (id, sabotage) => {
    const verdict = await probe(id).run(modelSession(sabotage));
    if (verdict.kind !== 'judged') throw new Error(JSON.stringify(verdict));
    expect(verdict.findings.length).toBeGreaterThan(0);
    const said = verdict.findings.map(({ expected, actual }) => `${expected} | ${actual}`);
    if (!id.startsWith('relation/')) expect([...new Set(said)].slice(0, 3)).toMatchSnapshot();
  });

  const asserting = PARAMETERS.flatMap((parameter) =>
    [...new Set(parameter.violations.map(({ level }) => level))]
      .filter((level) => level !== 'observe')
      .map((level) => [`${parameter.slug}${level === 'must' ? '' : '-strict'}`] as const),
  );

  test.each(asserting)('%s -> found where anything is answered with 200', async (id) => {
    const verdict = await probe(id).run(modelSession(() => ok({})));
    if (verdict.kind !== 'judged') throw new Error(JSON.stringify(verdict));
    expect(verdict.findings.length).toBe(verdict.checks);
  });

  test.each(asserting)('%s -> found where the Error is no Error', async (id) => {
    const bare = (answer: Answer) => (answer.status === 400 ? { ...answer, body: {} } : answer);
    const verdict = await probe(id).run(modelSession(bare));
    if (verdict.kind !== 'judged') throw new Error(JSON.stringify(verdict));
    expect(verdict.findings.length).toBeGreaterThan(0);
  });

  test('a market that moves with every reply -> relations could not run, none fails', async () => {
    const moving: Sabotage = (answer, _p, _path, count) =>
      plan((body) => ({
        ...body,
        buy: { ...body.buy, amount: String(BigInt(body.buy.amount) + BigInt(count)) },
      }))(answer);
    for (const rule of probes.filter(({ id }) => id.startsWith('relation/'))) {
      const verdict = await rule.run(modelSession(moving));
      expect([rule.id, verdict.kind]).toEqual([rule.id, 'could-not-run']);
    }
  });

  test('no calldata anywhere -> its rules do not apply', async () => {
    const session = modelSession();
    const market = [...modelFacts.markets.values()][0];
    if (market === undefined) throw new Error('no market');
    const routers = new Map([['default-router', 'plan'] as const]);
    const facts = { ...modelFacts, markets: new Map([[31337, { ...market, routers }]]) };
    for (const id of [
      'swap/slippage-tolerance',
      'swap/slippage-bounds',
      'relation/slippage-leaves-plan',
    ]) {
      expect((await probe(id).run({ ...session, facts })).kind).toBe('not-applicable');
    }
  });

  test('no pair at all -> must rules could not run, and the missing plans are a failure', async () => {
    const facts = { ...modelFacts, markets: new Map() };
    const session = {
      ...modelSession(() => ({ status: 400, body: { error: 'NO', message: 'no' } })),
      facts,
    };
    expect((await probe('swap/sell-amount').run(session)).kind).toBe('could-not-run');
    const verdict = await probe('plan/returned').run(session);
    expect(verdict.kind === 'judged' && verdict.findings.length).toBe(1);
  });
});
