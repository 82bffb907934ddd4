import { expect, test } from 'vitest';
import { PATHS } from '../contract/paths.ts';
import { ARGUABLE_TRADES, VIOLATION_REQUESTS } from '../generate/budget.ts';
import { PARAMETERS } from '../generate/parameters.ts';
import { goldenChains, goldenTokens } from '../model/golden-replies.testing.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { Rule } from '../model/rule.ts';
import { runProbe } from '../model/verdict.testing.ts';
import { brokenParameterRules } from './broken-parameters.ts';
import { findingLines, SERVICES } from './broken-services.testing.ts';
import { has, on, onRejections, respond, unchanged } from './service-breaks.ts';

const parameterRules = (['4.1', '4.2', '4.4'] as const).flatMap(brokenParameterRules);
const cases = parameterRules.map((rule) => {
  const parameter = PARAMETERS.find(
    ({ slug }) => rule.id.replace(/-(strict|lenience)$/, '') === slug,
  );
  if (parameter === undefined) throw new Error(`no parameter of ${rule.id}`);
  const violations = parameter.violations.filter(({ level }) => level === rule.level);
  const isLookup = parameter.base === 'tokens' || parameter.base === 'chainInfo';
  const path = isLookup ? PATHS[parameter.base] : PATHS.swap;
  return { rule, id: rule.id, violations, path };
});
const rejecting = (...reply: Parameters<typeof respond>) => onRejections(respond(...reply));
const ruleOf = (id: string) =>
  cases.find((each) => each.id === id)?.rule as Rule & { kind: 'probe' };
const run = async (id: string, ...service: Parameters<typeof modelSession>) =>
  findingLines(await runProbe(ruleOf(id), modelSession(...service)));

test.each(cases)(
  '$id: a service that returns 200 for everything -> each violation is sent and judged',
  async ({ rule, violations, path }) => {
    const session = SERVICES['status 200']();
    const verdict = await runProbe(rule, session);
    const rounds = {
      must: Math.ceil(VIOLATION_REQUESTS / violations.length),
      should: ARGUABLE_TRADES,
      observe: 1,
    };
    expect(session.sent.map((target) => target.path)).toEqual(
      Array(rounds[rule.level] * violations.length).fill(path),
    );
    if (verdict.kind !== 'judged') throw new Error(verdict.why);
    expect(verdict.checks).toBe(session.sent.length);
    expect(verdict.findings.length).toBe(rule.level === 'observe' ? 0 : verdict.checks);
    if (rule.level !== 'observe') return;
    const observed = verdict.observed?.map(({ text }) => text).join('\n');
    for (const { what } of violations) expect(observed).toContain(what);
  },
);

const withoutCalldata = new Map([
  [31337, { ...modelMarket, routers: new Map([['default-router', 'plan']]) }],
]) as never;
const onOtherChains = {
  markets: new Map([[31337, { ...modelMarket, addresses: 'other' }]]),
} as never;

test.each<[id: string, line: string, ...Parameters<typeof modelSession>]>([
  ['swap/sell-amount', '400 with an Error for `sellAmount` empty, got 422', rejecting(422)],
  ['swap/sell-amount', '400 with {"error":"E"}', rejecting(400, { error: 'E' })],
  [
    'swap/sell-amount',
    '400 with {"error":5,"message":"m"}',
    rejecting(400, { error: 5, message: 'm' }),
  ],
  ['swap/sell-amount', '400 with null', rejecting(400, null)],
  // The rule reports a 500 for a broken request, unless correct requests fail as well.
  ['swap/router', ', got 500', rejecting(500)],
  ['swap/slippage-tolerance', 'not-applicable: ', unchanged, { markets: withoutCalldata }],
  ['swap/sell-token', 'not-applicable: ', unchanged, onOtherChains],
  [
    'tokens/requested-chain-id',
    'no 200 for `chainId` zero, got 200',
    on(has('chainId', '0'), respond(200, goldenTokens())),
  ],
])('%s -> %s', async (id, line, service, facts) => {
  expect((await run(id, service, facts))[0]).toContain(line);
});

test('a broken `chainId` that is the id of another chain -> not judged', async () => {
  const chains = [...goldenChains(), { chainId: 0, name: 'Zero' }];
  const service = on(has('chainId', '0'), respond(200, goldenTokens()));
  expect(await run('tokens/requested-chain-id', service, { chains })).toEqual([]);
});

test('many trades -> the list of tokens is read at most once', async () => {
  const tokens = new Map([[31337, goldenTokens()]]);
  let reads = 0;
  tokens.get = (chainId) => {
    reads++;
    return Map.prototype.get.call(tokens, chainId);
  };
  await run('swap/sell-token', unchanged, { tokens });
  expect(reads).toBeLessThan(2);
});

test.each([
  ['swap/use-rfq-lenience', 'useRfq', 'false'],
  ['swap/router-lenience', 'router', 'default-router'],
  ['swap/include-calldata-lenience', 'includeCalldata', 'true'],
])('%s -> a repeated parameter has the usual value at least once', async (id, name, usual) => {
  const session = modelSession();
  await runProbe(ruleOf(id), session);
  const given = session.sent.map(({ query }) =>
    [...new URLSearchParams(query as string)].filter(([each]) => each === name).map(String),
  );
  expect(given).toContainEqual([`${name},${usual}`, `${name},${usual}`]);
  expect(given).toContainEqual([`${name},${usual}`, `${name},?`]);
});

test('violations -> also sent with market makers, and with a recipient and a tolerance of 0', async () => {
  const session = modelSession();
  await runProbe(ruleOf('swap/router'), session);
  await runProbe(ruleOf('swap/calldata-needs'), session);
  const sent = session.sent.map(({ query }) => new URLSearchParams(query as string));
  const hasValue = (name: string, value: string) => (query: URLSearchParams) =>
    query.get(name) === value;
  expect(sent.filter(hasValue('useRfq', 'true')).length).toBeGreaterThan(20);
  const paid = sent.filter((query) => query.has('recipientAddress'));
  expect(paid.filter(hasValue('slippageTolerance', '0')).length).toBeGreaterThan(10);
});
