import { describe, expect, test } from 'vitest';
import type { Answer, Service } from '../client/in-process.testing.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import type { ServiceChange } from '../model/breaks.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule, ReplyRule, Rule } from '../model/rule.ts';
import { brokenReply, correctReplyFor, partsOf } from '../rule-kit/broken-replies.testing.ts';
import { serviceBreakParts } from '../rule-kit/broken-services.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import { judgeService, NO_TRAFFIC } from './judge-service.testing.ts';

/*
 * The model service applies the first break of each rule, in one reply or in all replies, if a
 * service can do so. The runner must report the failure.
 */

const BROKEN_REPLY_MARK = ['x-broken', '1'] as const;

/**
 * The model service lacks the features that these rules need, or an HTTP client cannot send their
 * requests.
 */
const ONLY_IN_PROCESS = [
  // Duplicate keys only exist in the text of a body, which breaks do not change.
  'endpoint/unique-keys',
  // The model lists no token of its second chain.
  'tokens/not-empty',
  // The model trades on one chain only.
  'relation/chains-distinct',
];

const asserting = CATALOG.filter(
  ({ id, level }) => level !== 'observe' && !ONLY_IN_PROCESS.includes(id),
);

function serveModel(change?: ServiceChange): Service {
  const { get } = modelSession(change);
  return async (url, { method }) => {
    const query = url.search
      .slice(1)
      .replace(/(^|&)apiKey=key(?=&|$)/, `$1apiKey=${KEY_PLACEHOLDER}`);
    const { outcome } = await get({ path: url.pathname, query, method, key: 'as-written' });
    if (outcome.kind !== 'reply') throw new Error('the model service always replies');
    return {
      status: outcome.status,
      headers: headersOf(outcome.headers),
      body: outcome.text,
    };
  };
}

function headersOf(headers: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.join(', ')]),
  );
}

type Broken = ReturnType<typeof brokenReply>;

function firstServable(rule: ReplyRule): Broken | undefined {
  const rows = (rule.breaks ?? []).map(partsOf);
  const row = rows.find(
    ({ around }) =>
      around.facts === undefined &&
      around.origin === undefined &&
      around.exchange === undefined &&
      (around.headers === undefined || 'content-type' in around.headers),
  );
  return row && brokenReply(correctReplyFor(rule), row.change, row.around);
}

function serveBrokenIfMarked({ reply }: Broken): Service {
  const correct = serveModel();
  const broken: Answer = {
    status: reply.status,
    headers: headersOf(reply.headers),
    body: reply.document.kind === 'json' ? JSON.stringify(reply.document.value) : 'no JSON',
  };
  return (url, request) =>
    url.searchParams.has(BROKEN_REPLY_MARK[0]) ? broken : correct(url, request);
}

const rules = asserting.filter((rule): rule is ReplyRule => rule.kind === 'reply');
const served = rules.flatMap((rule) => {
  const broken = firstServable(rule);
  return broken === undefined ? [] : [[rule.id, rule, broken] as const];
});

test('rules whose breaks no service can show in one reply -> only the listed rules', () => {
  const shown = new Set(served.map(([id]) => id));
  expect(rules.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([
    // The server does not compress its body.
    'endpoint/coding-requested',
    'swap-response/native-price-steady',
    'token/usd-price-steady',
    // Its breaks are missing replies.
    'endpoint/answers',
    'swap/price-at-size',
  ]);
});

describe('a service that sends one broken reply', () => {
  test.each(served)('%s -> is reported', async (_id, rule, broken) => {
    const { endpoint = 'swap', query } = broken.exchange;
    const target = {
      path: PATHS[endpoint],
      query: [...query.filter(([name]) => name !== 'apiKey'), BROKEN_REPLY_MARK],
    };
    const { report } = await judgeService(serveBrokenIfMarked(broken), {
      rules: [rule] satisfies readonly Rule[],
      generator: { ...NO_TRAFFIC, traffic: () => [target] },
    });
    const [result] = report.rules;
    expect(result?.outcome, result?.why).toBe('fail');
    expect(result?.failures[0]?.exchange.target).toContain('x-broken=1');
  });
});

describe('a service whose replies are broken', () => {
  const probes = asserting.filter(
    (rule): rule is ProbeRule => rule.kind === 'probe' || rule.kind === 'relation',
  );
  test.each(probes.map((rule) => [rule.id, rule] as const))(
    '%s -> is reported',
    async (_id, rule) => {
      const rows = (rule.breaks ?? []).map(serviceBreakParts);
      const row = rows.find(({ facts }) => facts === undefined) ?? rows[0];
      const { report } = await judgeService(serveModel(row?.change), {
        rules: [rule],
        generator: NO_TRAFFIC,
      });
      const [result] = report.rules;
      expect(result?.outcome, result?.why).toBe('fail');
    },
  );
});
