import { afterAll, describe, expect, test } from 'vitest';
import { CLAUSES } from '../conformance/contract/clauses.ts';
import { CATALOG } from '../conformance/rules/catalog.ts';
import { MUTANTS, NOW_AND_THEN_MUTANTS } from '../reference/mutants/catalog.ts';
import { settlementMutants } from '../reference/mutants/execution/settlement.ts';
import { partialSettlementMutants } from '../reference/mutants/execution/settlement-in-part.ts';
import { catchMutant, type Row, writeMatrix } from './mutant-matrix.testing.ts';
import { judgeMutant } from './mutant-run.testing.ts';

const SEED = 1;
const rows: Row[] = [];
afterAll(() => writeMatrix('once', rows));

describe('the table of mutants', () => {
  const asserting = CATALOG.filter(({ level }) => level !== 'observe');

  test('at least 120 mutants, each of its own id', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  });

  test('every mutant names an asserting rule and a clause that exist', () => {
    const rules = new Set(asserting.map(({ id }) => id));
    const clauses = new Set(CLAUSES.map(({ id }) => id));
    expect(MUTANTS.filter(({ caughtBy }) => !rules.has(caughtBy))).toEqual([]);
    expect(MUTANTS.filter(({ clause }) => !clauses.has(clause))).toEqual([]);
  });

  test('every asserting rule is needed by a mutant', () => {
    const all = [...MUTANTS, ...settlementMutants, ...partialSettlementMutants];
    const needed = new Set(all.map(({ caughtBy }) => caughtBy));
    expect(asserting.map(({ id }) => id).filter((id) => !needed.has(id))).toEqual([]);
  });
});

test('the reference without a fault -> no rule fails', { timeout: 180_000 }, async () => {
  const { report, failed } = await judgeMutant({ seed: SEED });
  expect(failed).toEqual([]);
  expect(report.verdict).toBe('conforming');
  expect(report.replies).toBeGreaterThanOrEqual(3_000);
});

/** Those that come and go are in `mutant-seeds.test.ts`. */
const steady = MUTANTS.filter((mutant) => !NOW_AND_THEN_MUTANTS.includes(mutant));

describe('each mutant is caught by its rule', () => {
  test.each(steady)('$id -> $caughtBy', { timeout: 180_000 }, async (mutant) => {
    const row = await catchMutant(mutant, SEED, 'its rule first');
    rows.push(row);
    expect(row.failed).toContain(mutant.caughtBy);
  });
});
