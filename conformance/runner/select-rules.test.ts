import { describe, expect, test } from 'vitest';
import { CATALOG } from '../rules/catalog.ts';
import { selectRules, UnknownRuleError } from './select-rules.ts';

const idsOf = (...only: string[]) => selectRules(CATALOG, { only }).selected.map(({ id }) => id);
const rulesOn = (pattern: RegExp) =>
  CATALOG.filter(({ clause }) => pattern.test(clause)).map(({ id }) => id);

describe('selectRules', () => {
  test('an id, a clause, a section -> its rules; other rules are omitted, with the reason', () => {
    expect(idsOf('plan/acyclic')).toEqual(['plan/acyclic']);
    expect(idsOf('1.1 acyclic')).toEqual(rulesOn(/^1\.1 acyclic$/));
    expect(idsOf('2.7')).toEqual(rulesOn(/^2\.7 /));
    expect(idsOf('2')).toEqual(rulesOn(/^2[. ]/));
    const { selected, omitted } = selectRules(CATALOG, { only: ['2.7'] });
    expect(selected.length + omitted.length).toBe(CATALOG.length);
    expect(new Set(omitted.map(({ why }) => why))).toEqual(new Set(['not selected by --only']));
  });

  test("in JUnit's notation -> the same", () => {
    expect(idsOf('plan-acyclic')).toEqual(['plan/acyclic']);
    expect(idsOf('swapcheck.1.1-acyclic')).toEqual(idsOf('1.1 acyclic'));
    const names = CATALOG.map(({ id }) => id.replace('/', '-'));
    expect(new Set(names).size).toBe(CATALOG.length);
  });

  test('* -> any text', () => {
    const plans = CATALOG.filter(({ id }) => id.startsWith('plan/')).map(({ id }) => id);
    expect(plans.length).toBeGreaterThan(5);
    expect(idsOf('plan/*')).toEqual(plans);
    expect(idsOf('2.1*', '*')).toEqual(CATALOG.map(({ id }) => id));
    expect(idsOf('2.*')).toEqual(rulesOn(/^2\./));
    expect(idsOf('plan/*y*i*')).toEqual(plans.filter((id) => /y.*i/.test(id.slice(5))));
    expect(() => idsOf('plan/acyclic*acyclic')).toThrow(UnknownRuleError);
  });

  test('a name of 100,000 letters or stars -> rejected, or treated as one star', () => {
    expect(() => idsOf('x'.repeat(100_000))).toThrow(UnknownRuleError);
    expect(() => idsOf(`${'*a'.repeat(50_000)}*`)).toThrow(UnknownRuleError);
    expect(idsOf('*'.repeat(100_000))).toEqual(idsOf('*'));
  });

  test.each([
    ['plan/acylic', 'did you mean "plan/acyclic"?'],
    ['2.77', 'did you mean "2.7"?'],
    ['xyzzy-plugh-nothing', 'see swapcheck rules'],
    ['zzz*', 'see swapcheck rules'],
    ['', 'see swapcheck rules'],
  ])('%j -> rejected: %s', (name, hint) => {
    expect(() => idsOf(name)).toThrow(`no rule and no clause is called "${name}": `);
    expect(() => idsOf(name)).toThrow(hint);
  });
});
