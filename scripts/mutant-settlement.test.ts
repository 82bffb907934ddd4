import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExecutor } from '../conformance/execution/executor.ts';
import type { SettlementRule } from '../conformance/model/rule.ts';
import { CATALOG } from '../conformance/rules/catalog.ts';
import { judgeExecution } from '../conformance/runner/judge-settlements.ts';
import { SETTLEMENT_MUTANTS } from '../reference/mutants/catalog.ts';
import { middlewareOf } from '../reference/mutants/faults/middleware.ts';
import type { Mutant } from '../reference/mutants/faults/mutant.ts';
import { type ReferenceBench, startReferenceBench } from './reference-bench.testing.ts';

/** Few plans show most faults; the rest need one of each kind. */
const PLANS = [8, 36];
const rules = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');
let bench: ReferenceBench;

beforeAll(async () => {
  bench = await startReferenceBench([31338]);
});

afterAll(() => bench.stop());

async function judge(rule: SettlementRule, mutant: Mutant, plans: number) {
  const session = await bench.session(middlewareOf(mutant));
  const executor = createExecutor({ forks: bench.sources, plans }, session);
  try {
    return judgeExecution(rule, await executor.execute(rule.evidence), session);
  } finally {
    await executor.close();
  }
}

describe('mutants that only a chain shows', () => {
  test('every settlement rule -> has a mutant', () => {
    const caught = new Set(SETTLEMENT_MUTANTS.map(({ caughtBy }) => caughtBy));
    expect(rules.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });

  test.each(SETTLEMENT_MUTANTS)('$id -> caught by $caughtBy', async (mutant) => {
    const rule = rules.find(({ id }) => id === mutant.caughtBy) as SettlementRule;
    let findings = 0;
    for (const plans of PLANS) {
      if (findings > 0) break;
      const verdict = await judge(rule, mutant, plans);
      findings = verdict.kind === 'judged' ? verdict.findings.length : 0;
    }
    expect(findings).toBeGreaterThan(0);
  });
});
