import { describe, expect, test } from 'vitest';
import { PATHS } from '../contract/paths.ts';
import { ARGUABLE_TRADES, VIOLATION_REQUESTS } from '../generate/budget.ts';
import { PARAMETERS } from '../generate/parameters.ts';
import { goldenChains, goldenTokens } from '../model/golden-replies.testing.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { Rule } from '../model/rule.ts';
import { brokenParameterRules } from './broken-parameters.ts';
import { outcomeOf, SERVICES, saidBy } from './probes.testing.ts';
import { answer, has, refusing, where } from './sabotage.testing.ts';

/** Each rule with what it breaks. */
const parameterRules = (['4.1', '4.2', '4.4'] as const).flatMap(brokenParameterRules);
const cases = parameterRules.map((rule) => {
  const parameter = PARAMETERS.find(
    ({ slug }) => rule.id.replace(/-(strict|lenience)$/, '') === slug,
  );
  if (parameter === undefined) throw new Error(`no parameter of ${rule.id}`);
  const violations = parameter.violations.filter(({ level }) => level === rule.level);
  const isLookup = parameter.base === 'tokens' || parameter.base === 'chainInfo';
  const path = isLookup ? PATHS[parameter.base] : PATHS.swap;
  return { rule, id: rule.id, base: parameter.base, violations, path, isLookup };
});
const ruleOf = (id: string) =>
  cases.find((each) => each.id === id)?.rule as Rule & { kind: 'probe' };
const run = async (id: string, ...service: Parameters<typeof modelSession>) =>
  saidBy(await ruleOf(id).run(modelSession(...service)));

describe.each(cases)('$id', ({ rule, violations, path, isLookup }) => {
  test('services of every kind -> its outcome', async () => {
    const on = async (service: keyof typeof SERVICES) =>
      outcomeOf(await rule.run(SERVICES[service]()));
    expect(await on('sound')).toBe('passes');
    expect(await on('unknown')).toBe('could not run');
    expect(await on('untraded')).toBe(isLookup ? 'passes' : 'could not run');
    expect(await on('silent')).toBe('could not run');
    const isTold = rule.level === 'observe' || violations.some((each) => each.answer === 'not-200');
    expect(await on('500')).toBe(isTold ? 'passes' : 'could not run');
  });

  test('200 to everything -> each violation is tried, at its operation, and observed or found', async () => {
    const session = SERVICES['200']();
    const verdict = await rule.run(session);
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
    for (const { what } of violations) {
      expect(rule.level === 'observe' ? verdict.observed : saidBy(verdict).join('\n')).toContain(
        `${what}`,
      );
    }
  });
});

const withoutCalldata = new Map([
  [31337, { ...modelMarket, routers: new Map([['default-router', 'plan']]) }],
]) as never;
const elsewhere = goldenTokens().map((token: object) => ({ ...token, address: 'So1' }));
const onOtherChains = { tokens: new Map([[31337, elsewhere]]), chainInfo: new Map() };

test.each<[id: string, said: string, ...Parameters<typeof modelSession>]>([
  ['swap/sell-amount', '400 with an Error for `sellAmount` empty | 422', refusing(422)],
  ['swap/sell-amount', '400 with {"error":"E"}', refusing(400, { error: 'E' })],
  [
    'swap/sell-amount',
    '400 with {"error":5,"message":"m"}',
    refusing(400, { error: 5, message: 'm' }),
  ],
  ['swap/sell-amount', '400 with null', refusing(400, null)],
  // 500 to what is broken is told, unless whole requests fail as well.
  ['swap/router', '| 500', refusing(500)],
  ['swap/slippage-tolerance', 'not-applicable: ', (given) => given, { markets: withoutCalldata }],
  ['swap/sell-token', 'not-applicable: ', (given) => given, onOtherChains],
  [
    'tokens/asked-chain-id',
    'no 200 for `chainId` zero | 200',
    where(has('chainId', '0'), answer(200, goldenTokens())),
  ],
])('%s -> %s', async (id, said, service, facts) => {
  expect((await run(id, service, facts))[0]).toContain(said);
});

test('the id of one chain is that of another without its sign -> not held against it', async () => {
  const chains = [...goldenChains(), { chainId: 0, name: 'Zero' }];
  const service = where(has('chainId', '0'), answer(200, goldenTokens()));
  expect(await run('tokens/asked-chain-id', service, { chains })).toEqual([]);
});

test.each([
  ['swap/use-rfq-lenience', 'useRfq', 'false'],
  ['swap/router-lenience', 'router', 'default-router'],
  ['swap/include-calldata-lenience', 'includeCalldata', 'true'],
])('%s -> what is given twice has a value', async (id, name, usual) => {
  const session = modelSession();
  await ruleOf(id).run(session);
  const given = session.sent.map(({ query }) =>
    [...new URLSearchParams(query as string)].filter(([each]) => each === name).map(String),
  );
  expect(given).toContainEqual([`${name},${usual}`, `${name},${usual}`]);
  expect(given).toContainEqual([`${name},${usual}`, `${name},?`]);
});

test('what is broken -> beside market makers, and for a recipient at no tolerance, too', async () => {
  const session = modelSession();
  await ruleOf('swap/router').run(session);
  await ruleOf('swap/calldata-needs').run(session);
  const beside = session.sent.map(({ query }) => new URLSearchParams(query as string));
  const isAsked = (name: string, value: string) => (query: URLSearchParams) =>
    query.get(name) === value;
  expect(beside.filter(isAsked('useRfq', 'true')).length).toBeGreaterThan(20);
  const paid = beside.filter((query) => query.has('recipientAddress'));
  expect(paid.filter(isAsked('slippageTolerance', '0')).length).toBeGreaterThan(10);
});
