import { describe, expect, test } from 'vitest';
import type { Answer, Service } from '../client/in-process.testing.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ReplyRule, Rule } from '../model/rule.ts';
import { brokenReply, partsOf, soundReplyFor } from '../rule-kit/broken-replies.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import { judgeService, NO_TRAFFIC } from './judge-service.testing.ts';

/*
 * For each rule on replies, the model service sends the rule's first break that a service can serve
 * in reply to one request, and the runner must report the failure.
 */

/** Marks the request that gets the broken reply. */
const MARK = ['x-broken', '1'] as const;

/**
 * Rules that need features which the model service lacks, or requests which no HTTP client sends.
 */
const ONLY_IN_PROCESS = [
  // Duplicate keys only exist in the text of a body, which breaks do not change.
  'endpoint/unique-keys',
  // The model lists no token of its second chain.
  'tokens/not-empty',
];

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
  return row && brokenReply(soundReplyFor(rule), row.change, row.around);
}

/** Serves the model's replies, and the broken one for the marked request. */
function serving({ reply }: Broken): Service {
  const { get } = modelSession();
  const broken: Answer = {
    status: reply.status,
    headers: Object.fromEntries(
      Object.entries(reply.headers).map(([name, values]) => [name, values.join(', ')]),
    ),
    body: reply.document.kind === 'json' ? JSON.stringify(reply.document.value) : 'no JSON',
  };
  return async (url) => {
    if (url.searchParams.has(MARK[0])) return broken;
    const query = [...url.searchParams].map(
      ([name, value]) =>
        [name, name === 'apiKey' && value === 'key' ? KEY_PLACEHOLDER : value] as const,
    );
    const { outcome } = await get({ path: url.pathname, query, key: 'as-written' });
    if (outcome.kind !== 'reply') throw new Error('the model service always replies');
    return { status: outcome.status, body: outcome.text };
  };
}

const rules = CATALOG.filter(
  (rule): rule is ReplyRule =>
    rule.kind === 'reply' && rule.level !== 'observe' && !ONLY_IN_PROCESS.includes(rule.id),
);
const served = rules.flatMap((rule) => {
  const broken = firstServable(rule);
  return broken === undefined ? [] : [[rule.id, rule, broken] as const];
});

test('rules whose breaks no service can show in one reply -> only these', () => {
  const shown = new Set(served.map(([id]) => id));
  expect(rules.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([
    'swap-response/native-price-steady',
    'token/usd-price-steady',
  ]);
});

describe('a service that sends one broken reply', () => {
  test.each(served)('%s -> is reported', async (_id, rule, broken) => {
    const { endpoint = 'swap', query } = broken.exchange;
    const target = {
      path: PATHS[endpoint],
      query: [...query.filter(([name]) => name !== 'apiKey'), MARK],
    };
    const { report } = await judgeService(serving(broken), {
      rules: [rule] satisfies readonly Rule[],
      generator: { ...NO_TRAFFIC, traffic: () => [target] },
    });
    const [result] = report.rules;
    expect(result?.outcome, result?.why).toBe('fail');
    expect(result?.failures[0]?.exchange.target).toContain('x-broken=1');
  });
});
