import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExecution } from '../conformance/execution/create-execution.ts';
import type { ProbeRule } from '../conformance/model/rule.ts';
import { CATALOG } from '../conformance/rules/catalog.ts';
import { SETTLEMENT_MUTANTS } from '../reference/mutants/catalog.ts';
import { middlewareOf } from '../reference/mutants/faults/middleware.ts';
import type { Mutant } from '../reference/mutants/faults/mutant.ts';
import { type ReferenceBench, startReferenceBench } from './reference-bench.testing.ts';

const PLANS = 36;
const rules = CATALOG.filter(({ id }) => id.startsWith('execution/')) as ProbeRule[];
let bench: ReferenceBench;

beforeAll(async () => {
  bench = await startReferenceBench([31338]);
});

afterAll(() => bench.stop());

async function judge(rule: ProbeRule, mutant: Mutant) {
  const execution = createExecution({ forks: bench.sources, plans: PLANS });
  try {
    return await rule.run(await bench.session(execution, middlewareOf(mutant)));
  } finally {
    await execution.close();
  }
}

describe('mutants that only a chain shows', () => {
  test('every execution rule -> has a mutant', () => {
    const caught = new Set(SETTLEMENT_MUTANTS.map(({ caughtBy }) => caughtBy));
    expect(rules.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });

  test.each(SETTLEMENT_MUTANTS)('$id -> caught by $caughtBy', async (mutant) => {
    const rule = rules.find(({ id }) => id === mutant.caughtBy) as ProbeRule;
    const verdict = await judge(rule, mutant);
    expect(verdict.kind).toBe('judged');
    expect(verdict.kind === 'judged' && verdict.findings.length).toBeGreaterThan(0);
  });
});
