import { describe, expect, test } from 'vitest';
import { causeTitle, rootCausesOf, usualMistake } from './root-causes.ts';
import { sampleFailure, sampleRule } from './sample-report.testing.ts';

const failing = (
  id: string,
  level: 'must' | 'should',
  ...failures: readonly Parameters<typeof sampleFailure>[0][]
) =>
  sampleRule('4.1 rule 6', id, level, 'fail', `title of ${id}`, {
    failures: failures.map((failure) => sampleFailure(failure)),
  });

const exchange = { ...sampleFailure().exchange, status: 422 };
const status422 = {
  ...{ symptom: 'status=422', data: { status: 422 }, actual: '422' },
  ...{ exchange, count: 3 },
};

describe('rootCausesOf', () => {
  test('one wrong status in many rules -> one cause, whose heading is the first rule', () => {
    const rules = ['a', 'b', 'c'].map((id) => failing(id, 'must', status422));
    const causes = rootCausesOf(rules);
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatchObject({ rules, count: 9, variants: [] });
    expect(causes.map(causeTitle)).toEqual(['a [must]: title of a, and 2 more']);
  });

  test('an unspecified status -> one cause, headed by the rule on statuses', () => {
    const [cause] = rootCausesOf([
      failing('swap/chain-id', 'must', status422),
      failing('endpoint/status', 'must', status422),
    ]);
    expect(cause && causeTitle(cause)).toMatch(/^endpoint\/status .*, and 1 more$/);
  });

  test('an HTML error page -> one cause for all rules, headed by the rule on JSON', () => {
    const page = { ...exchange, status: 400, excerpt: '\n<!doctype html><h1>Bad Request</h1>' };
    const noError = { fault: 'no-error', exchange: page, count: 1 };
    const causes = rootCausesOf([
      failing('endpoint/content-type', 'must', { symptom: 'c', exchange: page, count: 9 }),
      failing('swap/chain-id', 'must', { symptom: 'body=html status=400', ...noError }),
      failing('endpoint/json', 'must', { symptom: 'j', exchange: page, count: 9 }),
      failing('swap/key-required', 'should', { symptom: 's', exchange: page }),
      failing('plan/acyclic', 'must', { symptom: 'p', actual: 'a cycle' }),
    ]);
    expect(causes.map(({ rules }) => rules.map(({ id }) => id))).toEqual([
      ['endpoint/json', 'endpoint/content-type', 'swap/chain-id', 'swap/key-required'],
      ['plan/acyclic'],
    ]);
  });

  test('a 500 without JSON -> headed by a rule whose failure is the 500, if there is one', () => {
    const page = { ...exchange, status: 500, excerpt: 'Internal Server Error' };
    const noJson = "500: JSON.parse reports 'Unexpected token I'";
    const json = failing('endpoint/json', 'must', { actual: noJson, exchange: page, count: 90 });
    const type = failing('endpoint/content-type', 'must', { symptom: 'c', exchange: page });
    const rejects = failing('swap/chain-id', 'must', {
      ...{ actual: '500 with "Internal Server Error"', exchange: page, count: 1 },
    });
    const [cause, ...others] = rootCausesOf([type, json, rejects]);
    expect(others).toEqual([]);
    expect(cause?.rules.map(({ id }) => id)).toEqual([
      ...['swap/chain-id', 'endpoint/json', 'endpoint/content-type'],
    ]);
    expect(rootCausesOf([type, json])[0]?.rules[0]?.id).toBe('endpoint/json');
  });

  test('a 400 without an Error body -> headed by the rule on the missing field; without such a rule, a separate cause', () => {
    const body = { ...exchange, status: 400, excerpt: '{"message":"a"}' };
    const derived = ['swap/chain-id', 'swap/router'].map((id) =>
      failing(id, 'must', { fault: 'no-error', symptom: 'body=object', exchange: body, count: 1 }),
    );
    const missing = sampleFailure({ fault: 'missing', symptom: 'm', exchange: body, count: 4 });
    const rule = sampleRule('2.10 error', 'error/error', 'must', 'fail', 'returns `error`', {
      failures: [missing],
    });
    const idsOf = (rules: Parameters<typeof rootCausesOf>[0]) =>
      rootCausesOf(rules).map((cause) => cause.rules.map(({ id }) => id));
    expect(idsOf([...derived, rule])).toEqual([['error/error', 'swap/chain-id', 'swap/router']]);
    expect(idsOf(derived)).toEqual([['swap/chain-id', 'swap/router']]);
  });

  test('several faults that only one rule finds -> variants of one cause, headed by that rule', () => {
    const causes = rootCausesOf([
      failing('a', 'must', { symptom: 'x', actual: 'one' }, { symptom: 'y', actual: 'two' }),
    ]);
    expect(causes.map(causeTitle)).toEqual(['a [must]: title of a']);
    expect(causes[0]).toMatchObject({ example: { actual: 'one' }, variants: ['two'] });
  });

  test('one response to several violations -> the variants name the expected behavior', () => {
    const [cause] = rootCausesOf([
      failing(
        'a',
        'must',
        { symptom: 'x', expected: '400 for zero', actual: '200' },
        { symptom: 'x', expected: '400 for a word', actual: '200' },
      ),
    ]);
    expect(cause?.variants).toEqual(['expected 400 for a word, got 200']);
  });

  test('a rule with a shared and a separate fault -> in both causes', () => {
    const causes = rootCausesOf([
      failing('a', 'must', status422, { symptom: 'x', actual: 'one' }),
      failing('b', 'should', status422),
    ]);
    expect(causes.map(({ rules }) => rules.map(({ id }) => id))).toEqual([['a', 'b'], ['a']]);
  });

  test('causes -> `must` before `should`, then the cause that breaks more rules; waived causes last', () => {
    const waiver = { reason: 'known', expires: '2999-01-01' };
    const causes = rootCausesOf([
      failing('should', 'should', { symptom: 's', actual: 's' }),
      failing('waived', 'must', { symptom: 'w', actual: 'w', waiver }),
      failing('single', 'must', { symptom: 'm', actual: 'm' }),
      failing('x', 'should', status422),
      failing('y', 'must', status422),
    ]);
    expect(causes.map(({ rules: [first] }) => first?.id)).toEqual([
      'y',
      'single',
      'should',
      'waived',
    ]);
    expect(causes.map(({ isWaived }) => isWaived)).toEqual([false, false, false, true]);
  });

  test('failures that follow from others, over several steps -> consequences of the first', () => {
    const [cause, ...others] = rootCausesOf([
      failing('c', 'should', { symptom: 'c', cause: 'c', followsFrom: { rule: 'b', cause: 'b' } }),
      failing('b', 'must', { symptom: 'b', cause: 'b', followsFrom: { rule: 'a', cause: 'a' } }),
      failing('a', 'must', { symptom: 'a', cause: 'a' }),
    ]);
    expect(others).toEqual([]);
    expect(cause?.rules.map(({ id }) => id)).toEqual(['a']);
    expect(cause?.consequences.map(({ rule }) => rule.id)).toEqual(['b', 'c']);
  });

  test('a report whose failures follow from each other, or from none that exists -> each is shown', () => {
    const causes = rootCausesOf([
      failing('a', 'must', { symptom: 'a', cause: 'a', followsFrom: { rule: 'b', cause: 'b' } }),
      failing('b', 'must', { symptom: 'b', cause: 'b', followsFrom: { rule: 'a', cause: 'a' } }),
      failing('c', 'must', { symptom: 'c', cause: 'c', followsFrom: { rule: 'd', cause: 'd' } }),
    ]);
    const shown = causes.flatMap(({ rules, consequences }) => [
      ...rules.map(({ id }) => id),
      ...consequences.map(({ rule }) => rule.id),
    ]);
    expect(shown.sort()).toEqual(['a', 'b', 'c']);
  });

  test('a reply that provably belongs to another request -> before other causes of its level', () => {
    const causes = rootCausesOf([
      failing('route/name', 'must', { symptom: 'n', actual: 'n' }),
      failing('relation/rfq-distinct', 'must', { symptom: 'r', actual: 'r' }),
    ]);
    expect(causes.map(({ rules: [first] }) => first?.id)).toEqual([
      'relation/rfq-distinct',
      'route/name',
    ]);
  });

  test('replies that ignore one parameter, in several rules -> one cause, before all others', () => {
    const belongsTo = { part: 'reply', exchange: 8, target: '/', ignored: ['useRfq'] } as const;
    const causes = rootCausesOf([
      failing('a', 'must', { symptom: 'a' }),
      failing('b', 'must', { symptom: 'b', belongsTo: { ...belongsTo, ignored: ['useRfq'] } }),
      failing('c', 'must', { symptom: 'c', belongsTo: { ...belongsTo, ignored: ['useRfq'] } }),
      failing('d', 'must', { symptom: 'd', belongsTo: { ...belongsTo, ignored: ['chainId'] } }),
    ]);
    expect(causes.map(({ rules }) => rules.map(({ id }) => id))).toEqual([
      ['b', 'c'],
      ['d'],
      ['a'],
    ]);
    expect(causes.slice(0, 2).map(usualMistake)).toEqual([undefined, undefined]);
  });

  test('many rules that got a 500 -> the usual mistake is about exceptions', () => {
    const error = { ...exchange, status: 500, excerpt: '{"error":"a"}' };
    const failed = ['a', 'b'].map((id) => failing(id, 'must', { symptom: '5', exchange: error }));
    const [cause] = rootCausesOf(failed);
    expect(cause && usualMistake(cause)).toContain('an exception results in 500');
  });
});
