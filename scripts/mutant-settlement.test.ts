import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestTarget } from '../conformance/client/request.ts';
import type { Facts } from '../conformance/discovery/facts.ts';
import { createExecutor } from '../conformance/execution/executor.ts';
import { createRpc } from '../conformance/execution/json-rpc.ts';
import { isolated } from '../conformance/execution/send.ts';
import type { ProbeVerdict, SettlementRule } from '../conformance/model/rule.ts';
import { CATALOG } from '../conformance/rules/catalog.ts';
import { judgeExecution } from '../conformance/runner/judge-settlements.ts';
import { MOVING_MUTANTS, SETTLEMENT_MUTANTS } from '../reference/mutants/catalog.ts';
import { middlewareOf } from '../reference/mutants/faults/middleware.ts';
import type { Mutant } from '../reference/mutants/faults/mutant.ts';
import { mineNextBlock, tradeOnPairs } from './moving-chain.testing.ts';
import { type ReferenceBench, startReferenceBench } from './reference-bench.testing.ts';

/** Few plans show most faults; the rest need one of each kind. */
const PLANS = [8, 36];
/** On a chain that moves, a block comes while so many requests are answered. */
const REQUESTS_A_BLOCK = 16;
const CHAIN = 31338;
/** Thefts are in calldata for one router: one plan of each of its kinds. */
const THEFT_PLANS = 36;
const THEFT_ROUTER = 'universal-router';
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
  meanwhile?: () => Promise<void>,
) {
  const { get, facts, ...session } = await bench.session(middlewareOf(mutant));
  const isTheft = MOVING_MUTANTS.some(({ id }) => id === mutant.id);
  let asked = 0;
  let moved = Promise.resolve();
  const service = {
    ...session,
    facts: isTheft ? { ...facts, markets: withTheftRouter(facts.markets) } : facts,
    get: async (target: RequestTarget) => {
      asked += 1;
      if (meanwhile && asked % REQUESTS_A_BLOCK === 0) moved = moved.then(meanwhile);
      await moved;
      return get(target);
    },
  };
  // A fork asks for a newer block once in two seconds at most.
  const clock = () => Date.now() + (meanwhile ? asked * 1_000 : 0);
  const executor = createExecutor({ forks: bench.sources, plans, clock }, service);
  try {
    return judgeExecution(rule, await executor.execute(rule.evidence), session);
  } finally {
    await executor.close();
  }
}

function withTheftRouter(markets: Facts['markets']): Facts['markets'] {
  const isMeant = ([name]: readonly [string, unknown]) => name === THEFT_ROUTER;
  return new Map(
    [...markets].map(([chainId, market]) => [
      chainId,
      { ...market, routers: new Map([...market.routers].filter(isMeant)) },
    ]),
  );
}

function findingsOf(verdict: ProbeVerdict): number {
  return verdict.kind === 'judged' ? verdict.findings.length : 0;
}

describe('mutants that only a chain shows', () => {
  test('every settlement rule -> has a mutant', () => {
    const caught = new Set(
      [...SETTLEMENT_MUTANTS, ...MOVING_MUTANTS].map(({ caughtBy }) => caughtBy),
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
    MOVING_MUTANTS.flatMap((mutant, index) => {
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
