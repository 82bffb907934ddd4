import { afterAll, describe, expect, test } from 'vitest';
import { ELUSIVE_MUTANTS, MUTANTS } from '../reference/mutants/catalog.ts';
import { catchMutant, type Row, writeMatrix } from './mutant-matrix.testing.ts';
import { judgeMutant } from './mutant-run.testing.ts';

/*
 * The default run, in its own order, with three seeds. Faults that come and go
 * take part always; `npm run test:long` takes every mutant.
 */
const isLong = process.env['SWAPCHECK_LONG'] === '1';
const SEEDS = [11, 12, 13];
const mutants = isLong ? MUTANTS : ELUSIVE_MUTANTS;

const rows: Row[] = [];
afterAll(() => writeMatrix(isLong ? 'every-seed' : 'seeds', rows));

describe.each(SEEDS)('seed %i', (seed) => {
  test.each(mutants)('$id -> $caughtBy', { timeout: 300_000 }, async (mutant) => {
    const row = await catchMutant(mutant, seed, 'default order');
    rows.push(row);
    expect(row.failed).toContain(mutant.caughtBy);
  });

  test.runIf(isLong)('the reference without a fault -> no rule fails', async () => {
    const { failed } = await judgeMutant({ seed });
    expect(failed).toEqual([]);
  });
});
