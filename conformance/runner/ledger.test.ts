import { describe, expect, test } from 'vitest';
import { modelSession } from '../model/model-service.testing.ts';
import type { Finding, ProbeRule } from '../model/rule.ts';
import { Ledger } from './ledger.ts';
import { openWaivers, type Waiver } from './waivers.ts';

const rule: ProbeRule = {
  ...{ kind: 'probe', id: 'test/rule', clause: '4 status', level: 'must', title: 'a rule' },
  check: async () => {},
};
const exchange = await modelSession().get({ path: '/api/v1.0/chains', query: [] });
const finding = (change: Partial<Finding> = {}): Finding => ({
  ...{ fault: 'a', expected: ['this'], actual: ['that'], exchange },
  ...change,
});
const soldBy = (pair: number): Finding['exchange'] => ({
  ...exchange,
  query: [
    ['sellToken', `0x${pair}`],
    ['buyToken', '0xb'],
  ],
});

function causesOf(findings: readonly Finding[], waivers: readonly Waiver[] = []) {
  const { waiverOf } = openWaivers(waivers, '2026-01-01');
  const ledger = new Ledger({ rules: [rule], weigh: () => 1, waiverOf });
  for (const { exchange: proof, ...fault } of findings) ledger.tallyOf(rule)?.check(fault, proof);
  return [...(ledger.tallies.get(rule.id)?.causes.values() ?? [])];
}

describe('causes', () => {
  test('different words for one fault -> one cause with one fingerprint', () => {
    const reworded = finding({ expected: ['something else'], actual: ['in other words'] });
    const [cause, ...others] = causesOf([finding(), reworded]);
    expect(others).toEqual([]);
    expect(cause).toMatchObject({ key: 'test/rule#a chains', count: 2 });
  });

  test('more pairs fail than waivers cover -> one cause that no waiver covers', () => {
    const pairs = Array.from({ length: 101 }, (_, index) => index);
    const waivers = pairs.slice(1).map(
      (pair): Waiver => ({
        ...{ rule: rule.id, pair: [`0x${pair}`, '0xb'], reason: 'known', expires: '2999-01-01' },
      }),
    );
    const findings = pairs.toReversed().map((pair) => finding({ exchange: soldBy(pair) }));
    const causes = causesOf(findings, waivers);
    expect(causes.filter(({ waiver }) => waiver === undefined)).toMatchObject([{ count: 1 }]);
    expect(causes.filter(({ waiver }) => waiver !== undefined)).toHaveLength(100);
  });

  test('a waiver for one fault -> does not cover another', () => {
    const waiver: Waiver = { rule: rule.id, fault: 'a', reason: 'known', expires: '2999-01-01' };
    const causes = causesOf([finding(), finding({ fault: 'b' })], [waiver]);
    expect(causes.map(({ waiver: covering }) => covering)).toEqual([waiver, undefined]);
  });

  test('very many causes -> causes beyond the maximum are counted together, by fault', () => {
    const many = Array.from({ length: 100 }, (_, index) => finding({ data: { index } }));
    const causes = causesOf([...many, finding({ fault: 'b' }), finding({ fault: 'b' })]);
    expect(causes).toHaveLength(41);
    expect(causes.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(102);
    expect(causes.at(-1)).toMatchObject({ fault: 'b', count: 2 });
  });

  test('causes beyond the maximum, with smaller requests -> each cause keeps its own data and words', () => {
    const long = 'a'.repeat(50);
    const many = Array.from({ length: 60 }, (_, index) =>
      finding({
        data: { index },
        actual: [String(index)],
        exchange: { ...exchange, query: [['note', index < 40 ? long : '']] },
      }),
    );
    const ledger = new Ledger({ rules: [rule], weigh: ({ query }) => String(query).length });
    for (const { exchange: proof, ...fault } of many) ledger.tallyOf(rule)?.check(fault, proof);
    const causes = [...(ledger.tallies.get(rule.id)?.causes.values() ?? [])];
    expect(causes).toHaveLength(40);
    for (const { key, data, actual } of causes) {
      expect(key).toBe(`test/rule#a chains index=${data?.['index']}`);
      expect(actual).toEqual([String(data?.['index'])]);
    }
  });

  test('a finding with a saved settlement -> is shown, whatever its weight', () => {
    const settlement = { money: [], evidence: 'a.json' };
    for (const findings of [
      [finding({ settlement }), finding()],
      [finding(), finding({ settlement })],
    ]) {
      expect(causesOf(findings)).toMatchObject([{ settlement, count: 2 }]);
    }
  });
});

test('an observation that found nothing to record -> not applicable, unlike a `must`', () => {
  const observing = { ...rule, id: 'test/observing', level: 'observe' } as const;
  const rules = [rule, observing];
  const ledger = new Ledger({ rules, weigh: () => 1, waiverOf: () => undefined });
  for (const each of rules) ledger.tallyOf(each)?.stuck('none');
  expect(rules.map(({ id }) => ledger.tallies.get(id)?.obstacle?.kind)).toEqual([
    'could-not-run',
    'not-applicable',
  ]);
});
