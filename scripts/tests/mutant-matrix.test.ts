import { afterAll, describe, expect, test } from 'vitest';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { MOVING_MUTANTS, MUTANTS, SETTLEMENT_MUTANTS, STEADY_MUTANTS } from './mutants/catalog.ts';
import {
  CAUGHT_IN_ODD_MARKETS,
  catchMutant,
  QUICK_FIRST,
  type Row,
  writeMatrix,
} from './mutants/mutant-matrix.testing.ts';

const SEED = 1;
const rows: Row[] = [];
afterAll(() => writeMatrix('once', rows));

describe('the table of mutants', () => {
  const asserting = CATALOG.filter(({ level }) => level !== 'observe');

  const all = [...MUTANTS, ...SETTLEMENT_MUTANTS, ...MOVING_MUTANTS];

  test('at least 120 mutants with unique ids', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  test('every mutant names an existing rule that asserts', () => {
    const rules = new Set(asserting.map(({ id }) => id));
    expect(all.filter(({ caughtBy }) => !rules.has(caughtBy))).toEqual([]);
  });

  test('every asserting rule is tested by a mutant, by breaks, or by an odd contract', () => {
    const needed = new Set([...all.map(({ caughtBy }) => caughtBy), ...CAUGHT_IN_ODD_MARKETS]);
    const needless = asserting.filter(
      (rule) => !needed.has(rule.id) && !('breaks' in rule && (rule.breaks ?? []).length > 0),
    );
    expect(needless.map(({ id }) => id)).toEqual([]);
  });
});

/**
 * `mutant-seeds.long.test.ts` tests intermittent mutants, and `correct-services.long.test.ts` tests
 * the reference without a fault.
 */
describe('each mutant is caught by its rule', () => {
  test.each(STEADY_MUTANTS)('$id -> $caughtBy', async (mutant) => {
    const row = await catchMutant(mutant, SEED, QUICK_FIRST);
    rows.push(row);
    expect(row.failed).toContain(mutant.caughtBy);
  });
});
