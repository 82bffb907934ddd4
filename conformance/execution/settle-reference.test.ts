import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReferenceBench, startReferenceBench } from '../../scripts/reference-bench.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import { CATALOG } from '../rules/catalog.ts';
import { createExecution } from './create-execution.ts';
import type { Execution, ExecutionRun, SettledPlan } from './execution.ts';

const isLong = process.env['SWAPCHECK_LONG'] === '1';
const PLANS = isLong ? 2_376 : 216;
const LEAST = isLong ? 2_000 : 200;
const TIME_LIMIT_MS = isLong ? 600_000 : 120_000;

let bench: ReferenceBench;
let execution: Execution;
let items: readonly SettledPlan[];

beforeAll(async () => {
  bench = await startReferenceBench([31337, 31338]);
  execution = createExecution({ forks: bench.sources, plans: PLANS, seed: isLong ? 2 : 1 });
  items = itemsOf(await execution.settlements(await bench.session()));
}, TIME_LIMIT_MS);

afterAll(async () => {
  await execution.close();
  await bench.stop();
});

function itemsOf<Item>(run: ExecutionRun<Item>): readonly Item[] {
  if (run.kind !== 'executed') throw new Error(`${run.kind}: ${run.why}`);
  expect(run.skipped).toEqual([]);
  return run.items;
}

function countOf(matches: (item: SettledPlan) => boolean): number {
  return items.filter(matches).length;
}

describe(`the reference, settled over ${PLANS} trades`, () => {
  test('plans -> as many as wanted, of every kind', () => {
    expect(items.length).toBeGreaterThanOrEqual(LEAST);
    const least = items.length / 20;
    for (const router of ['default-router', 'service-router', 'universal-router']) {
      for (const trade of ['exact-input', 'exact-output']) {
        const kind = countOf(({ ask }) => ask.router === router && ask.trade === trade);
        expect(kind).toBeGreaterThan(least);
      }
    }
    for (const slippageBps of [0, 50, 10_000]) {
      expect(countOf(({ ask }) => ask.slippageBps === slippageBps)).toBeGreaterThan(least);
    }
    expect(countOf(({ ask }) => ask.sell.native)).toBeGreaterThan(least);
    expect(countOf(({ ask }) => ask.buy.native)).toBeGreaterThan(least);
    expect(countOf(({ ask }) => !ask.sell.native && !ask.buy.native)).toBeGreaterThan(least);
    expect(countOf(({ ask }) => ask.recipient === undefined)).toBeGreaterThan(least);
    expect(countOf(({ ask }) => ask.recipient !== undefined)).toBeGreaterThan(least);
    expect(countOf(({ plan }) => plan.steps.length > 2)).toBeGreaterThan(least);
  });

  test('each -> paid and received as quoted, to the base unit', () => {
    const off = items.flatMap(({ effects, ask, plan }) => {
      if (effects.kind === 'reverted') return [effects.reason];
      const { spent, received } = effects;
      // A pair that is paid whole base units gives all that these buy.
      const surplus = ask.trade === 'exact-output' && ask.router === 'universal-router';
      const isExact =
        spent === plan.sell.amount &&
        (surplus ? received >= plan.buy.amount : received === plan.buy.amount);
      return isExact ? [] : [`${spent} of ${plan.sell.amount}, ${received} of ${plan.buy.amount}`];
    });
    expect(off).toEqual([]);
  });

  test('each -> a transaction within its gas limit, as it was when called', () => {
    const off = items.flatMap(({ mined, settlement }) =>
      mined?.kind === 'mined' && mined.success && mined.gasUsed <= settlement.gasLimit
        ? []
        : [mined],
    );
    expect(off).toEqual([]);
  });

  test(
    'every rule -> judged, and not one finding',
    async () => {
      const rules = CATALOG.filter(({ id }) => id.startsWith('execution/')) as ProbeRule[];
      const session = await bench.session(execution);
      const said: unknown[] = [];
      for (const rule of rules) {
        const verdict = await rule.run(session);
        if (verdict.kind !== 'judged' || verdict.findings.length > 0) said.push([rule.id, verdict]);
      }
      expect(said).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  test('price moves -> native on each side and on none, too little tolerated and enough', async () => {
    const moves = itemsOf(await execution.priceMoves(await bench.session()));
    const isTight = moves.filter((move) => move.toleranceBps < move.movedBps);
    expect(isTight.length).toBeGreaterThanOrEqual(60);
    expect(isTight.filter(({ toleranceBps }) => toleranceBps === 0).length * 2).toBe(
      isTight.length,
    );
    expect(moves.length - isTight.length).toBeGreaterThanOrEqual(24);
    const kinds = isTight.map(({ ask: { router, trade, sell, buy } }) =>
      [router, trade, sell.native, buy.native].join(' '),
    );
    expect(new Set(kinds).size).toBe(3 * 2 * 3);
    expect(new Set(isTight.map(({ ask }) => ask.recipient)).size).toBe(2);
  });

  test('plans sent by others -> settled, and paid to who sent them', async () => {
    const sent = itemsOf(await execution.sentByOthers(await bench.session()));
    expect(sent.length).toBeGreaterThanOrEqual(20);
    expect(sent.filter(({ effects }) => effects.kind === 'reverted')).toEqual([]);
    expect(sent.every(({ ask }) => ask.wallet !== ask.user && ask.recipient === undefined)).toBe(
      true,
    );
  });

  test('own encodings -> at least a dozen plans, none skipped', async () => {
    const encoded = itemsOf(await execution.ownEncodings(await bench.session()));
    expect(encoded.length).toBeGreaterThanOrEqual(12);
  });
});
