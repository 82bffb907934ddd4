import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ReferenceBench,
  startReferenceBench,
} from '../../fixtures/testing/reference-bench.testing.ts';
import type { Execution, Executor } from '../model/executor.ts';
import type { SettlementRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import type { Evidence, EvidenceKind, SettledOnce, SettledPlan } from '../model/settlement.ts';
import { CATALOG } from '../rules/catalog.ts';
import { verdictOnExecution } from '../runner/judge-execution.testing.ts';
import { createExecutor } from './executor.ts';
import type { RunningSource } from './fork/source.ts';
import { untilEnd } from './node/until-end.testing.ts';
import { startMiner } from './settle/miner.testing.ts';

const isLong = process.env['SWAPCHECK_LONG'] === '1';
const PLANS = isLong ? 2_376 : 216;
const LEAST = isLong ? 2_000 : 200;
const TIME_LIMIT_MS = isLong ? 600_000 : 300_000;

let bench: ReferenceBench;
let session: Session;
let executor: Executor;
let items: readonly SettledPlan[];

beforeAll(async () => {
  bench = await startReferenceBench([31337, 31338]);
  session = await bench.session();
  const service = { ...session, seed: isLong ? 2 : 1 };
  executor = createExecutor({ forks: bench.sources, plans: PLANS }, service);
  items = itemsOf(await execute('as-returned'));
}, TIME_LIMIT_MS);

afterAll(async () => {
  await executor.close();
  await bench.stop();
});

const KINDS: readonly EvidenceKind[] = [
  ...(['as-returned', 'sent-by-another', 'with-code', 'price-moved'] as const),
];
const executions = new Map<EvidenceKind, Promise<Execution<Evidence[EvidenceKind]>>>();

function execute<Kind extends EvidenceKind>(kind: Kind): Promise<Execution<Evidence[Kind]>> {
  const execution = executions.get(kind) ?? executor.execute(kind, KINDS);
  executions.set(kind, execution);
  return execution as Promise<Execution<Evidence[Kind]>>;
}

function itemsOf<Item>(run: Execution<Item>): readonly Item[] {
  if (run.kind !== 'executed') throw new Error(`${run.kind}: ${run.why}`);
  expect(run.skipped).toEqual([]);
  return run.items;
}

function countOf(matches: (item: SettledPlan) => boolean): number {
  return items.filter(matches).length;
}

const TOLERANCES = [[0, 0] as const, [1, 20] as const, [50, 100] as const, [500, 9_000] as const];
/** Each of these kinds must make up at least a twentieth of all trades. */
const FREQUENT_KINDS: Readonly<Record<string, (item: SettledPlan) => boolean>> = {
  'to the user by name': ({ request }) => request.recipient === request.user,
  'to the sender': ({ request }) => request.recipient === undefined,
  'to a recipient': ({ request }) => request.recipient !== undefined,
  'without a router': ({ exchange }) => !/router=/.test(exchange.target),
  'in capitals': ({ exchange }) => /Address=0x[0-9]*[A-F]/.test(exchange.target),
  'sells native': ({ request }) => request.sell.native,
  'buys native': ({ request }) => request.buy.native,
  'no native': ({ request }) => !request.sell.native && !request.buy.native,
  'three or more steps': ({ plan }) => plan.steps.length > 2,
  'four or more steps': ({ plan }) => plan.steps.length >= 4,
  'requests market makers': ({ request }) => request.useRfq === true,
};

describe(`the reference, settled over ${PLANS} trades`, () => {
  test('plans -> the requested number, of every kind', () => {
    expect(items.length).toBeGreaterThanOrEqual(LEAST);
    const least = items.length / 20;
    for (const router of ['default-router', 'service-router', 'universal-router']) {
      for (const swapKind of ['exact-input', 'exact-output']) {
        const kind = countOf(
          ({ request }) => request.router === router && request.swapKind === swapKind,
        );
        expect(kind).toBeGreaterThan(least);
      }
    }
    for (const [from, to] of TOLERANCES) {
      const isOne = ({ request: { slippageBps = -1 } }: SettledPlan) =>
        slippageBps >= from && slippageBps <= to;
      expect(countOf(isOne), `${from} to ${to}`).toBeGreaterThan(least);
    }
    for (const [kind, isOne] of Object.entries(FREQUENT_KINDS)) {
      expect(countOf(isOne), kind).toBeGreaterThan(least);
    }
    expect(countOf(({ request }) => request.amount > 1n << 96n)).toBeGreaterThan(0);
    const soldIn = ({ plan }: SettledPlan) =>
      plan.steps.filter(({ from }) => from[0]?.token === plan.sell.token).length;
    expect(countOf((item) => soldIn(item) > 1)).toBeGreaterThan(items.length / 5);
  });

  test('each plan -> spends and receives the quoted amounts, to the base unit', () => {
    const asQuoted = items.filter(({ frozen }) => frozen);
    expect(asQuoted.length).toBeGreaterThanOrEqual(LEAST);
    const off = asQuoted.flatMap(({ effects, request, plan }) => {
      if (effects.kind === 'reverted') return [effects.reason];
      const { spent, received } = effects;
      // A pair takes whole base units, and pays out the maximum that they buy.
      const surplus = request.swapKind === 'exact-output' && request.router === 'universal-router';
      const isExact =
        spent === plan.sell.amount &&
        (surplus ? received >= plan.buy.amount : received === plan.buy.amount);
      return isExact ? [] : [`${spent} of ${plan.sell.amount}, ${received} of ${plan.buy.amount}`];
    });
    expect(off).toEqual([]);
  });

  test('plans at a better price than quoted -> the user gains', () => {
    const improved = items.filter(({ circumstance }) => circumstance === 'at a better price');
    expect(improved.length).toBeGreaterThan(0);
    const gains = improved.map(({ effects, plan }) => {
      if (effects.kind === 'reverted') return effects.reason;
      const { spent, received } = effects;
      const isNoWorse = spent <= plan.sell.amount && received >= plan.buy.amount;
      return isNoWorse && (spent < plan.sell.amount || received > plan.buy.amount);
    });
    expect(gains.filter((gain) => gain !== true)).toEqual([]);
  });

  test('each plan -> settles within its gas limit', () => {
    const off = items
      .filter(({ frozen }) => frozen)
      .flatMap(({ atGasLimit, transaction }) =>
        atGasLimit?.settlement.outcome === 'settled' &&
        atGasLimit.settlement.gasUsed <= transaction.gasLimit
          ? []
          : [atGasLimit?.settlement],
      );
    expect(off).toEqual([]);
  });

  test(
    'every rule -> judged, without a finding',
    async () => {
      const rules = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');
      const unexpected: unknown[] = [];
      for (const rule of rules) {
        const verdict = verdictOnExecution(rule, await execute(rule.evidence), { tolerancePpm: 0 });
        if (verdict.kind !== 'judged' || verdict.findings.length > 0)
          unexpected.push([rule.id, verdict]);
      }
      expect(unexpected).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  test('price moves -> the native token on each side and on neither, moves within the tolerance and beyond it', async () => {
    const moves = itemsOf(await execute('price-moved'));
    const isTight = moves.filter((move) => move.toleranceBps < move.movedBps);
    expect(isTight.length).toBeGreaterThanOrEqual(120);
    expect(moves.length - isTight.length).toBeGreaterThanOrEqual(90);
    for (const toleranceBps of [1, 5, 10, 20, 50, 100, 500, 2_000, 5_000, 9_000]) {
      const around = moves.filter((move) => move.toleranceBps === toleranceBps);
      const parts = around.map(({ movedBps }) => movedBps / toleranceBps);
      expect(
        parts.filter((part) => part > 1 && part < 1.2).length,
        `${toleranceBps}`,
      ).toBeGreaterThanOrEqual(4);
      expect(
        parts.filter((part) => part < 1 && part > 0.8).length,
        `${toleranceBps}`,
      ).toBeGreaterThanOrEqual(4);
    }
    const kinds = isTight.map(({ request: { router, swapKind, sell, buy } }) =>
      [router, swapKind, sell.native, buy.native].join(' '),
    );
    expect(new Set(kinds).size).toBe(3 * 2 * 3);
    expect(new Set(isTight.map(({ request }) => request.recipient)).size).toBe(3);
  });

  test.each([1, 2, 3])(
    'few plans, seed %i -> rules on moved prices and plans without calldata judged, without a finding',
    async (seed) => {
      // Nothing changes the chains, so these plans settle without a copy.
      const forks = bench.sources.map((source) => ({ ...source, isPrivate: true }));
      const few = createExecutor({ forks, plans: 8 }, { ...session, seed });
      const kinds: readonly EvidenceKind[] = ['price-moved', 'through-pools'];
      const unsound: unknown[] = [];
      try {
        for (const kind of kinds) {
          const execution = await few.execute(kind);
          for (const rule of CATALOG) {
            if (rule.kind !== 'settlement' || rule.evidence !== kind) continue;
            const verdict = verdictOnExecution(rule, execution, { tolerancePpm: 0 });
            if (verdict.kind !== 'judged' || verdict.findings.length > 0)
              unsound.push([rule.id, verdict]);
          }
        }
      } finally {
        await few.close();
      }
      expect(unsound).toEqual([]);
    },
  );

  test(
    'each plan, simulated and mined -> the same settlement, field by field',
    async () => {
      const mineAll = async (source: RunningSource) => {
        const onFork = items.filter(({ request }) => request.chainId === source.chainId);
        const settled = onFork.flatMap(({ now, atGasLimit, later }) => [
          now,
          atGasLimit ?? now,
          later,
        ]);
        const block = settled[0]?.scenario.block ?? 0;
        const miner = await untilEnd(startMiner(source.chainId, source.rpcUrl, block));
        for (const { scenario, settlement } of new Set(settled)) {
          expect(scenario.block).toBe(block);
          const { calls: _, ...mined } = (await miner.mine(scenario)) ?? {};
          expect(mined).toEqual(settlement);
        }
      };
      await Promise.all(bench.sources.map(mineAll));
    },
    TIME_LIMIT_MS,
  );

  test('users and recipients with code -> each settled on each router', async () => {
    const settled = itemsOf(await execute('with-code'));
    expect(settled.filter(({ effects }) => effects.kind === 'reverted')).toEqual([]);
    const kindOf = ({ request, holders }: SettledOnce) => [
      ...[request.chainId, request.router, request.swapKind, request.sell.native],
      ...[request.buy.native, holders.user === holders.receiver],
    ];
    const expected = items.flatMap((item) => {
      const paysUser = item.holders.user === item.holders.receiver;
      const accounts = [
        'contract user',
        'delegating user',
        ...(paysUser ? [] : ['contract recipient']),
      ];
      return accounts.map((account) => [account, ...kindOf(item)].join());
    });
    const found = settled.map((item) => [item.account, ...kindOf(item)].join());
    expect(new Set(found)).toEqual(new Set(expected));
  });

  test('plans of every shape, with a recipient and without, sent from another account -> settled', async () => {
    const sent = itemsOf(await execute('sent-by-another'));
    expect(sent.length).toBeGreaterThanOrEqual(60);
    const shapeOf = ({ request, plan: { steps } }: SettledOnce) => {
      const { router, swapKind, sell, buy, recipient } = request;
      const isNamed = recipient !== undefined;
      return [router, swapKind, sell.native, buy.native, steps.length > 1, isNamed].join();
    };
    expect(new Set(sent.map(shapeOf))).toEqual(new Set(items.map(shapeOf)));
    expect(sent.filter(({ effects }) => effects.kind === 'reverted')).toEqual([]);
    expect(sent.every(({ request }) => request.wallet !== request.user)).toBe(true);
  });

  test('plans without calldata -> each step pays as quoted, and plans through other pools are skipped', async () => {
    const run = await execute('through-pools');
    if (run.kind !== 'executed') throw new Error(run.why);
    const settled = run.items.filter(({ pools }) => pools.kind === 'settled');
    expect(settled.length).toBeGreaterThan(24);
    expect(run.items.length - settled.length).toBe(run.skipped.length);
    for (const { reason } of run.skipped) {
      expect(reason).toMatch(/"(UniswapV4|BalancerV2)" is neither V2-like nor V3-like$/);
    }
    const off = settled.flatMap(({ request, pools }) => {
      const yields = pools.kind === 'settled' ? pools.yields : [];
      return yields.filter(({ step: { from, to }, sold, received }) =>
        request.swapKind === 'exact-input'
          ? sold !== from[0]?.amount || received !== to[0]?.amount
          : sold < (from[0]?.amount ?? 0n) || received < (to[0]?.amount ?? 0n),
      );
    });
    expect(off).toEqual([]);
    const listed = [
      ...(run.items[0]?.exchange ? new Set(run.items.flatMap(({ plan }) => plan.tokens)) : []),
    ];
    expect(listed.length).toBeGreaterThan(20);
  });
});
