import type { Middleware } from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discover } from '../../conformance/discovery/discover.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import { createExecutor, type ExecutorOptions } from '../../conformance/execution/executor.ts';
import { createRpc } from '../../conformance/execution/node/json-rpc.ts';
import type { Executor } from '../../conformance/model/executor.ts';
import type { SettlementRule } from '../../conformance/model/rule.ts';
import type { Session } from '../../conformance/model/session.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { verdictOnExecution } from '../../conformance/runner/judge-execution.testing.ts';
import {
  mineNextBlock,
  tradeOnPairs,
  whileMoving,
} from '../../fixtures/testing/moving-chain.testing.ts';
import {
  type ReferenceBench,
  startReferenceBench,
} from '../../fixtures/testing/reference-bench.testing.ts';
import { isolated } from '../../fixtures/testing/send.testing.ts';
import { MOVING_MUTANTS, SETTLEMENT_MUTANTS } from './mutants/catalog.ts';
import { middlewareOf } from './mutants/faults/middleware.ts';
import type { Mutant } from './mutants/faults/mutant.ts';
import { CAUGHT_IN_ODD_MARKETS } from './mutants/mutant-matrix.testing.ts';

const CHAIN = 31338;
/** One plan of each kind on one router. These plans reveal most faults. */
const ALL_PLANS = 36;
const FEW_PLANS = 12;
/** Number of plans on one chain that is enough to move the prices for every kind of plan. */
const ALL_PRICE_MOVES = 72;
const ONE_ROUTER = 'universal-router';
const isLong = process.env['SWAPCHECK_LONG'] === '1';
const rules = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');

/** The reference, which all mutants share with its cached plans. The current fault wraps it. */
let bench: ReferenceBench;
let session: Session;
let fault: Middleware | undefined;
/**
 * `fewPlans` settles plans of all routers. `oneRouter` moves prices against the plans of one
 * router.
 */
let fewPlans: Executor;
let oneRouter: Executor;

beforeAll(async () => {
  bench = await startReferenceBench([CHAIN]);
  session = await bench.session((ctx, next) => (fault ? fault(ctx, next) : next()));
  fewPlans = open(session, { plans: 8 });
  oneRouter = open({ ...session, facts: withOneRouter(session.facts) }, { plans: ALL_PRICE_MOVES });
});

afterAll(async () => {
  await Promise.all([fewPlans.close(), oneRouter.close()]);
  await bench.stop();
});

/**
 * Opens an executor that settles on the chain itself, because only tests on a moving market change
 * the chain.
 */
function open(service: Session, options: Omit<ExecutorOptions, 'forks'>): Executor {
  const forks = bench.sources.map((source) => ({ ...source, isPrivate: true }));
  return createExecutor({ forks, ...options }, service);
}

function withOneRouter({ markets, ...facts }: Facts): Facts {
  const isMeant = ([name]: readonly [string, unknown]) => name === ONE_ROUTER;
  const withOne = [...markets].map(([chainId, market]) => {
    const routers = new Map([...market.routers].filter(isMeant));
    return [chainId, { ...market, routers }] as const;
  });
  return { ...facts, markets: new Map(withOne) };
}

async function findingsOf(rule: SettlementRule, executor: Executor): Promise<number> {
  const verdict = verdictOnExecution(rule, await executor.execute(rule.evidence), session);
  return verdict.kind === 'judged' ? verdict.findings.length : 0;
}

/**
 * Settles one plan of each kind, as a user's run would. Discovery also meets the mutant, so that
 * the amounts follow from its quotes.
 */
async function findingsOfAll(rule: SettlementRule, mutant: Mutant): Promise<number> {
  fault = middlewareOf(mutant);
  const facts = await discover({ get: session.get, chains: [] });
  const executor = open(
    { ...session, facts },
    { plans: rule.evidence === 'price-moved' ? ALL_PRICE_MOVES : ALL_PLANS },
  );
  try {
    return await findingsOf(rule, executor);
  } finally {
    await executor.close();
  }
}

function ruleOf({ caughtBy }: Mutant): SettlementRule {
  return rules.find(({ id }) => id === caughtBy) as SettlementRule;
}

/** Returns the number of findings when blocks are mined while plans are requested. */
async function findingsWhile(
  makeBlock: () => Promise<void>,
  rule: SettlementRule,
  plans: number,
): Promise<number> {
  const still = { ...session, facts: withOneRouter(session.facts) };
  const { service, clock } = whileMoving(still, makeBlock);
  const executor = createExecutor({ forks: bench.sources, plans, clock }, service);
  try {
    return await findingsOf(rule, executor);
  } finally {
    await executor.close();
  }
}

describe('mutants whose faults are visible only on a chain', () => {
  test('every settlement rule -> has a mutant', () => {
    const caught = new Set(
      [...SETTLEMENT_MUTANTS, ...MOVING_MUTANTS].map(({ caughtBy }) => caughtBy),
    );
    expect(rules.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual(
      CAUGHT_IN_ODD_MARKETS,
    );
  });

  test.each(SETTLEMENT_MUTANTS)('$id -> caught by $caughtBy', async (mutant) => {
    const rule = ruleOf(mutant);
    fault = middlewareOf(mutant);
    let found = await findingsOf(rule, fewPlans);
    if (rule.evidence === 'price-moved') found ||= await findingsOf(rule, oneRouter);
    expect(found || (await findingsOfAll(rule, mutant))).toBeGreaterThan(0);
  });

  test.each(
    MOVING_MUTANTS.flatMap((mutant, index) => {
      const still = { ...mutant, while: 'a block is mined every 12 s', moves: [mineNextBlock] };
      const traded = {
        ...mutant,
        while: 'trades move the market',
        moves: [tradeOnPairs, mineNextBlock],
      };
      return isLong ? [still, traded] : [index % 2 === 0 ? still : traded];
    }),
  )('$id, $while -> caught by $caughtBy', async ({ moves, ...mutant }) => {
    const source = createRpc(bench.sources[0]?.rpcUrl ?? '');
    fault = middlewareOf(mutant);
    const makeBlock = async () => {
      for (const move of moves) await move(source, CHAIN);
    };
    await isolated(source, async () => {
      const first = await findingsWhile(makeBlock, ruleOf(mutant), FEW_PLANS);
      const found = first || (await findingsWhile(makeBlock, ruleOf(mutant), ALL_PLANS));
      expect(found).toBeGreaterThan(0);
    });
  });
});
