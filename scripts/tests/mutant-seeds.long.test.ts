import { afterAll, describe, expect, test } from 'vitest';
import { ELUSIVE_MUTANTS, MUTANTS } from './mutants/catalog.ts';
import type { Mutant } from './mutants/faults/mutant.ts';
import { catchMutant, type Row, THOROUGH, writeMatrix } from './mutants/mutant-matrix.testing.ts';
import { judgeMutant } from './mutants/mutant-run.testing.ts';

/*
 * Judges mutants with three seeds. Omits faults that depend on the number of requests instead of
 * the seed. `npm run test:long` judges every mutant as a user's run would: against all rules, in
 * the order of the catalog.
 */
const isLong = process.env['SWAPCHECK_LONG'] === '1';
const SEEDS = [11, 12, 13];
const isOfSeed = ({ id }: Mutant) => !id.startsWith('in-time/');
const mutants = isLong ? MUTANTS : ELUSIVE_MUTANTS.filter(isOfSeed);

const rows: Row[] = [];
afterAll(() => writeMatrix(isLong ? 'every-seed' : 'seeds', rows));

describe.each(SEEDS)('seed %i', (seed) => {
  test.each(mutants)('$id -> $caughtBy', async (mutant) => {
    const row = await catchMutant(mutant, seed, isLong ? [{}] : THOROUGH);
    rows.push(row);
    expect(row.failed).toContain(mutant.caughtBy);
  });

  test.runIf(isLong)('the reference without a fault -> no rule fails', async () => {
    const { failed } = await judgeMutant({ seed });
    expect(failed).toEqual([]);
  });
});
