import { describe, expect, test } from 'vitest';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import { indexFacts } from '../discovery/known-chain.ts';
import { PARAMETERS } from '../generate/parameters.ts';
import { coverMarket } from '../generate/traffic.ts';
import { NATIVE } from '../model/golden-addresses.ts';
import {
  given,
  goldenChainInfo,
  goldenFacts,
  goldenNativeSell,
  goldenQuery,
  goldenSwap,
  goldenTokens,
  queryOf,
} from '../model/golden-replies.testing.ts';
import { type JudgedReply, readJudgedReply } from '../model/judged-reply.ts';
import { modelFacts, modelMarket } from '../model/model-market.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule, Rule } from '../model/rule.ts';
import { runProbe } from '../model/verdict.testing.ts';
import { CORRECT, FACTS, verdictOn } from '../rule-kit/broken-replies.testing.ts';
import { findingLines } from '../rule-kit/broken-services.testing.ts';
import { all, has, not, on, reject, to } from '../rule-kit/service-breaks.ts';
import { CATALOG } from './catalog.ts';

/* The rows that test a single rule are in the rules' own files. */

test.each(Object.values(CORRECT))(
  'golden reply %# -> no rule fails; sent with status 400 -> the rules on bodies do not apply',
  (golden, around) => {
    expectNoFailure(CATALOG, given(golden(), around));
    const rejected = given(golden(), { ...around, status: 400 });
    const ofOperations = CATALOG.filter((rule) => rule.kind === 'reply' && rule.endpoint);
    expectNoFailure(ofOperations, rejected, 'all');
  },
);

/** Facts that discovery may not have learned. */
const UNKNOWN = ['none', 'withoutChains', 'withoutTokens', 'withoutChainInfo', 'unpriced'] as const;

describe.each(Object.entries(CORRECT))(
  'golden reply %s -> no rule fails',
  (_name, [golden, around]) => {
    // A plan with calldata that was not requested is at fault.
    const parameters = Object.keys(queryOf(around)).filter(
      (name) => !(name === 'includeCalldata' && 'calldata' in golden()),
    );
    test.each(UNKNOWN)('facts: %s', (facts) => {
      expectNoFailure(CATALOG, given(golden(), { ...around, facts: FACTS[facts] }));
    });
    test.each(parameters)('without the parameter %s', (parameter) => {
      const query = { ...around.query, [parameter]: undefined };
      expectNoFailure(CATALOG, given(golden(), { ...around, query }));
    });
    test.each(['captured', 'body-only'] as const)('origin: %s', (origin) => {
      expectNoFailure(CATALOG, given(golden(), { ...around, origin }));
    });
  },
);

describe('a correct service', () => {
  test('replies to generated traffic -> no reply rule fails, and enough replies are plans', async () => {
    const session = modelSession();
    const known = indexFacts(modelFacts);
    const statuses = new Map<number, number>();
    for (const target of coverMarket(modelFacts, 1)) {
      const exchange = await session.get(target);
      if (exchange.outcome.kind !== 'reply') throw new Error('no reply');
      const { status } = exchange.outcome;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const input = readJudgedReply(exchange, exchange.outcome, { known, tolerancePpm: 0 });
      const failed = CATALOG.filter((rule) => (verdictOn(rule, input)?.findings.length ?? 0) > 0);
      const failures = failed.map(({ id }) => `${id} on ${exchange.target}`);
      expect(failures.filter((line) => !line.startsWith('swap/usd-values-agree'))).toEqual([]);
    }
    expect([...statuses.keys()].sort()).toEqual([200, 400]);
    const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    expect(statuses.get(200)).toBeGreaterThan(0.75 * requests);
  });

  test('another seed -> other requests', () => {
    const traffic = (seed: number) => JSON.stringify([...coverMarket(modelFacts, seed)]);
    expect(traffic(5)).not.toBe(traffic(6));
  });
});

describe('a service that needs RFQ for every plan', () => {
  const requiredParameters = [['useRfq', 'true']] as const;
  const markets = new Map([[31337, { ...modelMarket, requiredParameters }]]);
  const withoutRfq = on(all(to('swap'), not(has('useRfq', 'true'))), reject);
  const probes = CATALOG.filter(
    (rule): rule is ProbeRule => rule.kind === 'probe' || rule.kind === 'relation',
  );
  test.each(probes.map((rule) => [rule.id, rule] as const))('%s -> no finding', async (_, rule) => {
    const verdict = await runProbe(rule, modelSession(withoutRfq, { markets }));
    expect(verdict.kind === 'judged' ? findingLines(verdict) : []).toEqual([]);
  });
});

describe('a service that reads arguable values as the client means them -> no rule fails', () => {
  const arguable = PARAMETERS.flatMap(({ base, violations }) =>
    violations
      .filter(({ level, expected }) => level === 'observe' && expected === 'rejected')
      .map((violation) => ({ base, ...violation })),
  );
  const sold = { ...goldenQuery, router: 'default-router', useRfq: 'false' };
  const native = { ...sold, sellToken: NATIVE, sellAmount: '2162884172944070813' };
  test.each(arguable)('$base: $what', ({ base, change }) => {
    const judge = (endpoint: Endpoint, whole: Readonly<Record<string, string>>, body: unknown) => {
      const key = ['apiKey', KEY_PLACEHOLDER] as const;
      const query = change([...Object.entries(whole), key]);
      const input = given(body, { endpoint, exchange: { query } });
      const failures = CATALOG.flatMap((rule) => verdictOn(rule, input)?.findings ?? []);
      expect(failures).toEqual([]);
    };
    if (base === 'tokens') return judge('tokens', { chainId: '31337' }, goldenTokens());
    if (base === 'chainInfo') return judge('chainInfo', { chainId: '31337' }, goldenChainInfo());
    judge('swap', sold, goldenSwap());
    judge('swap', native, goldenNativeSell());
  });
});

test('addresses in base58 everywhere -> no address rule applies, and none fails', () => {
  const respell = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/0x[0-9a-fA-F]{40}/g, (hex) => `So1${hex.slice(10)}`));
  const tokens = respell(goldenTokens());
  const chainInfo = respell(goldenChainInfo());
  const facts = {
    ...goldenFacts,
    chainInfo: new Map([[31337, chainInfo]]),
    tokens: new Map([[31337, tokens]]),
  };
  const { deployedAddress: routerAddress } = chainInfo.routers[0];
  const plan = { ...respell(goldenSwap()), calldata: 'AQID', routerAddress };
  const notHex = ['token/address-hex', 'route/address-hex', 'swap-response/calldata-hex'];
  expectNoFailure(CATALOG, given(plan, { query: respell(goldenQuery), facts }), notHex);
  expectNoFailure(CATALOG, given(tokens, { endpoint: 'tokens', facts }), [
    'token-info/address-hex',
  ]);
  expectNoFailure(CATALOG, given(chainInfo, { endpoint: 'chainInfo', facts }), [
    'chain-info/usd-token-address-hex',
    'router-info/deployed-address-hex',
  ]);
});

function expectNoFailure(
  rules: readonly Rule[],
  input: JudgedReply,
  notApplicable: readonly string[] | 'all' = [],
): void {
  const verdicts = rules
    .filter(({ kind }) => kind === 'reply')
    .map((rule) => ({ id: rule.id, verdict: verdictOn(rule, input) }));
  const known = verdicts.map(({ id }) => id);
  if (notApplicable !== 'all') expect(known).toEqual(expect.arrayContaining([...notApplicable]));
  const failed = verdicts.filter(({ verdict }) => verdict?.findings.length);
  expect(failed.map(({ id }) => id)).toEqual([]);
  const applying = verdicts.flatMap(({ id, verdict }) => (verdict === undefined ? [] : [id]));
  expect(applying.filter((id) => notApplicable === 'all' || notApplicable.includes(id))).toEqual(
    [],
  );
}
