import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExecution } from '../../../conformance/execution/create-execution.ts';
import type { ProbeRule } from '../../../conformance/model/rule.ts';
import { CATALOG } from '../../../conformance/rules/catalog.ts';
import {
  type ReferenceBench,
  startReferenceBench,
} from '../../../scripts/reference-bench.testing.ts';
import { settlementMutants } from './settlement.ts';
import { partialSettlementMutants } from './settlement-in-part.ts';

const PLANS = 36;
const mutants = [...settlementMutants, ...partialSettlementMutants];
const rules = CATALOG.filter(({ id }) => id.startsWith('execution/')) as ProbeRule[];
let bench: ReferenceBench;

beforeAll(async () => {
  bench = await startReferenceBench([31338]);
});

afterAll(() => bench.stop());

async function judge(rule: ProbeRule, mutant?: (typeof mutants)[number]) {
  const execution = createExecution({ forks: bench.sources, plans: PLANS });
  try {
    return await rule.run(await bench.session(execution, mutant?.middleware()));
  } finally {
    await execution.close();
  }
}

describe('mutants that only a chain shows', () => {
  test('every execution rule -> has a mutant', () => {
    const caught = new Set(mutants.map(({ caughtBy }) => caughtBy));
    expect(rules.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });

  test('ids -> unique', () => {
    const ids = mutants.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(mutants)('$id -> caught by $caughtBy', async (mutant) => {
    const rule = rules.find(({ id }) => id === mutant.caughtBy) as ProbeRule;
    expect(rule.clause).toBe(mutant.clause);
    const verdict = await judge(rule, mutant);
    expect(verdict.kind).toBe('judged');
    expect(verdict.kind === 'judged' && verdict.findings.length).toBeGreaterThan(0);
  });
});
