import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestTarget } from '../conformance/client/request.ts';
import { createExecutor } from '../conformance/execution/executor.ts';
import { createRpc } from '../conformance/execution/json-rpc.ts';
import { isolated } from '../conformance/execution/send.ts';
import type { ProbeVerdict, SettlementRule } from '../conformance/model/rule.ts';
import { CATALOG } from '../conformance/rules/catalog.ts';
import { judgeExecution } from '../conformance/runner/judge-settlements.ts';
import { SETTLEMENT_MUTANTS, THEFT_MUTANTS } from '../reference/mutants/catalog.ts';
import { middlewareOf } from '../reference/mutants/faults/middleware.ts';
import type { Mutant } from '../reference/mutants/faults/mutant.ts';
import { mineNextBlock, tradeOnPairs } from './moving-chain.testing.ts';
import { type ReferenceBench, startReferenceBench } from './reference-bench.testing.ts';

/** Few plans show most faults; the rest need one of each kind. */
const PLANS = [8, 36];
/** On a chain that moves, a block comes while so many requests are answered. */
const REQUESTS_A_BLOCK = 6;
const CHAIN = 31338;
const THEFT_PLANS = 24;
const isLong = process.env['SWAPCHECK_LONG'] === '1';
const rules = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');
let bench: ReferenceBench;

beforeAll(async () => {
  bench = await startReferenceBench([CHAIN]);
});

afterAll(() => bench.stop());

async function judge(
  rule: SettlementRule,
  mutant: Mutant,
  plans: number,
  meanwhile: () => Promise<void> = async () => {},
) {
  const { get, ...session } = await bench.session(middlewareOf(mutant));
  let asked = 0;
  let moved = Promise.resolve();
  const service = {
    ...session,
    get: async (target: RequestTarget) => {
      asked += 1;
      if (asked % REQUESTS_A_BLOCK === 0) moved = moved.then(meanwhile);
      await moved;
      return get(target);
    },
  };
  const executor = createExecutor({ forks: bench.sources, plans }, service);
  try {
    return judgeExecution(rule, await executor.execute(rule.evidence), session);
  } finally {
    await executor.close();
  }
}

function findingsOf(verdict: ProbeVerdict): number {
  return verdict.kind === 'judged' ? verdict.findings.length : 0;
}

describe('mutants that only a chain shows', () => {
  test('every settlement rule -> has a mutant', () => {
    const caught = new Set(
      [...SETTLEMENT_MUTANTS, ...THEFT_MUTANTS].map(({ caughtBy }) => caughtBy),
    );
    expect(rules.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });

  test.each(SETTLEMENT_MUTANTS)('$id -> caught by $caughtBy', async (mutant) => {
    const rule = rules.find(({ id }) => id === mutant.caughtBy) as SettlementRule;
    let findings = 0;
    for (const plans of PLANS) {
      if (findings > 0) break;
      const verdict = await judge(rule, mutant, plans);
      findings = findingsOf(verdict);
    }
    expect(findings).toBeGreaterThan(0);
  });

  test.each(
    THEFT_MUTANTS.flatMap((mutant, index) => {
      const still = { ...mutant, while: 'a block comes every 12 s', moves: [mineNextBlock] };
      const traded = {
        ...mutant,
        while: 'trades move the market',
        moves: [tradeOnPairs, mineNextBlock],
      };
      return isLong ? [still, traded] : [index % 2 === 0 ? still : traded];
    }),
  )('$id, $while -> caught by $caughtBy', async ({ moves, ...mutant }) => {
    const rule = rules.find(({ id }) => id === mutant.caughtBy) as SettlementRule;
    const source = createRpc(bench.sources[0]?.rpcUrl ?? '');
    await isolated(source, async () => {
      const verdict = await judge(rule, mutant, THEFT_PLANS, async () => {
        for (const move of moves) await move(source, CHAIN);
      });
      expect(findingsOf(verdict)).toBeGreaterThan(0);
    });
  });
});
