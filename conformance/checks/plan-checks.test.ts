import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { balancePlan } from './conservation.ts';
import { planIn, readSwapBody } from './plan.ts';
import { inspectGraph } from './plan-graph.ts';
import { findDanglingIds, findRepeatedIds, findUnusedIds } from './references.ts';

type Leg = { referenceId: number; amount: string };
const leg = (referenceId = 0, amount: bigint | number = 5): Leg => ({
  referenceId,
  amount: String(amount),
});
type Route = { fromTokens: Leg[]; toTokens: Leg[] };
type Document = { sell: Leg; buy: Leg; tokens: { referenceId: number }[]; routes: Route[] };

/**
 * Plans start at the sell token and visit the other tokens in topological order. Each token splits
 * its whole inflow among one or more later tokens. Rates are arbitrary, since the checks do not use
 * prices.
 */
const conservingPlanArbitrary: fc.Arbitrary<Document> = fc
  .record({
    ids: fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 2, maxLength: 8 }),
    amount: fc.bigInt({ min: 10n ** 9n, max: 10n ** 30n }),
    choices: fc.array(fc.nat(997), { minLength: 64, maxLength: 64 }),
  })
  .map(({ ids, amount, choices }) => {
    let next = 0;
    const choose = (limit: number) => (choices[next++ % choices.length] ?? 0) % limit;
    const last = ids.length - 1;
    const holds = ids.map(() => 0n);
    holds[0] = amount;
    const routes: Route[] = [];
    for (let at = 0; at < last; at += 1) {
      let left = holds[at] ?? 0n;
      const parts = 1 + choose(3);
      for (let part = 0; part < parts && left > 0n; part += 1) {
        const spend = part === parts - 1 ? left : left / 2n;
        if (spend === 0n) continue;
        left -= spend;
        const to = part === 0 ? at + 1 : at + 1 + choose(last - at);
        const out = spend * 2n + BigInt(choose(100));
        holds[to] = (holds[to] ?? 0n) + out;
        routes.push({
          fromTokens: [leg(ids[at], spend)],
          toTokens: [leg(ids[to], out)],
        });
      }
    }
    return {
      sell: leg(ids[0], amount),
      buy: leg(ids[last], holds[last]),
      tokens: ids.map((referenceId) => ({ referenceId })),
      routes: [...routes].reverse(),
    };
  });

const read = (document: unknown) => {
  const plan = planIn(readSwapBody(document));
  if (plan === undefined) throw new Error('not a plan');
  return plan;
};
const planWithoutTokens = (sell: Leg, buy: Leg, ...routes: readonly Route[]) =>
  read({ sell, buy, tokens: [], routes });

const faultsOf = (document: Document) => {
  const plan = read(document);
  const graph = inspectGraph(plan);
  const dangling = findDanglingIds(plan);
  return Object.entries({
    cycle: graph.cycle.length,
    'no-way': graph.sellReachesBuy ? 0 : 1,
    'off-path': graph.offPath.length,
    'self-loop': graph.selfLoops.length,
    'into-sell': graph.intoSell.length,
    'out-of-buy': graph.outOfBuy.length,
    'open-ended': graph.openEnded.length,
    repeated: findRepeatedIds(plan).length,
    dangling: dangling.ends.length + dangling.routes.length,
    unused: findUnusedIds(plan).length,
    ...Object.fromEntries(
      balancePlan(plan, 0).imbalances.map((imbalance) => [`balance-${imbalance.place}`, 1]),
    ),
  })
    .filter(([, count]) => count > 0)
    .map(([name]) => name);
};

const bump = (of: Leg, by: bigint) => leg(of.referenceId, BigInt(of.amount) + by);
const several = (from: readonly number[], to: readonly number[]): Route => ({
  fromTokens: from.map((id) => leg(id)),
  toTokens: to.map((id) => leg(id)),
});
const route = (from: number, to: number) => several([from], [to]);

describe('the checks of a plan', () => {
  test('a plan built to conserve -> no fault', () => {
    forAll([conservingPlanArbitrary], { seed: 1 }, (plan) => {
      const unused = faultsOf(plan).filter((fault) => fault !== 'unused');
      expect(unused).toEqual([]);
    });
  });

  test('one changed amount in any route -> out of balance', () => {
    forAll(
      [conservingPlanArbitrary, fc.nat(), fc.boolean()],
      { seed: 1 },
      (plan, pick, atStart) => {
        const routes = structuredClone(plan.routes);
        const changed = routes[pick % routes.length];
        const side = atStart ? changed?.fromTokens : changed?.toTokens;
        if (side?.[0] === undefined) throw new Error('a route without a token');
        side[0] = bump(side[0], 1n);
        expect(faultsOf({ ...plan, routes }).some((fault) => fault.startsWith('balance-'))).toBe(
          true,
        );
      },
    );
  });
});

describe('balancePlan', () => {
  const chain = (spent: bigint, gained: bigint, bought = 100n) =>
    planWithoutTokens(
      leg(1, 100),
      leg(3, bought),
      { fromTokens: [leg(1, 100)], toTokens: [leg(2, gained)] },
      { fromTokens: [leg(2, spent)], toTokens: [leg(3, 100)] },
    );
  const places = (plan: ReturnType<typeof read>, ppm: number) =>
    balancePlan(plan, ppm).imbalances.map((imbalance) => imbalance.place);

  test.each([
    [10_000_000n, 10_000_012n, 1, []],
    [10_000_012n, 10_000_000n, 1, []],
    [10_000_000n, 10_000_013n, 1, ['between']],
    [10_000_013n, 10_000_000n, 1, ['between']],
    [10_000_000n, 10_000_001n, 0, ['between']],
    [10_000_000n, 10_000_007n, 0.5, []],
    [10_000_000n, 10_000_008n, 0.5, ['between']],
  ])('spent %s of %s at %d ppm -> %j', (spent, gained, ppm, expected) => {
    expect(places(chain(spent, gained), ppm)).toEqual(expected);
  });

  test.each([
    [102n, 1, []],
    [98n, 1, []],
    [103n, 1, ['buy']],
    [97n, 1, ['buy']],
    [101n, 0, ['buy']],
  ])('bought %s of 100 at %d ppm -> %j', (bought, ppm, expected) => {
    expect(places(chain(7n, 7n, bought), ppm)).toEqual(expected);
  });

  test('dust at several tokens -> the largest share, with its sign', () => {
    expect(balancePlan(chain(10_000_012n, 10_000_000n), 1).largestDust).toEqual({
      referenceId: 2,
      baseUnits: -12n,
      partsPerMillion: 1.19999856,
    });
    expect(balancePlan(chain(7n, 7n, 98n), 1).largestDust).toBeUndefined();
  });
});

describe('routes with several tokens at an end', () => {
  const graphOf = (routes: readonly Route[]) =>
    inspectGraph(planWithoutTokens(leg(1), leg(9), ...routes));

  test('one of several tokens at both ends -> a self-loop', () => {
    expect(graphOf([several([1, 2], [2, 9])]).selfLoops).toEqual(['/routes/0']);
    expect(graphOf([several([1, 2], [3, 9])]).selfLoops).toEqual([]);
    expect(graphOf([several([1, 1], [9, 9])])).toMatchObject({
      selfLoops: [],
      offPath: [],
      cycle: [],
    });
  });

  test('a cycle to which other tokens lead -> only the cycle', () => {
    expect(graphOf([several([1], [2]), several([2], [3]), several([3], [2, 9])]).cycle).toEqual([
      2, 3,
    ]);
  });

  test('any graph -> one of its cycles, if a token leads back to itself through another', () => {
    const ends = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 });
    forAll(
      [fc.array(fc.tuple(ends, ends), { maxLength: 6 })],
      { seed: 1, numRuns: 2_000 },
      (all) => {
        const edges = all.flatMap(([from, to]) =>
          from.flatMap((one) => to.map((other): (number | undefined)[] => [one, other])),
        );
        const hasEdge = (one: unknown, other: unknown) =>
          edges.some(([from, to]) => from === one && to === other && one !== other);
        let reached = edges.filter(([from, to]) => from !== to);
        for (let before = -1; before !== reached.length; ) {
          before = reached.length;
          const next = reached.flatMap(([from, by]) =>
            edges.filter(([one]) => one === by).map(([, to]) => [from, to]),
          );
          reached = [...new Map([...reached, ...next].map((pair) => [pair.join(), pair])).values()];
        }
        const { cycle } = graphOf(all.map(([from, to]) => several(from, to)));
        const isOnCycle = edges.some(
          ([from, to]) =>
            from !== to && reached.some(([one, other]) => one === to && other === from),
        );
        expect(cycle.length > 0).toBe(isOnCycle);
        expect(new Set(cycle).size).toBe(cycle.length);
        for (const [index, id] of cycle.entries()) {
          expect(hasEdge(id, cycle[(index + 1) % cycle.length])).toBe(true);
        }
      },
    );
  });

  test('selling a token for itself -> balanced', () => {
    expect(inspectGraph(planWithoutTokens(leg(1), leg(1), route(1, 1)))).toMatchObject({
      intoSell: [],
      outOfBuy: [],
      selfLoops: ['/routes/0'],
    });
  });

  test('dust at two tokens -> the larger share, in any order', () => {
    const dusty = (first: number, second: number) => {
      const plan = planWithoutTokens(
        leg(1, 100),
        leg(9, 100),
        { fromTokens: [leg(1, 100)], toTokens: [leg(2, 1_000)] },
        { fromTokens: [leg(2, 1_000 - first)], toTokens: [leg(3, 1_000)] },
        { fromTokens: [leg(3, 1_000 - second)], toTokens: [leg(9, 100)] },
      );
      return balancePlan(plan, 1).largestDust?.referenceId;
    };
    expect([dusty(1, 2), dusty(2, 1), dusty(1, 1), dusty(0, 1), dusty(0, 0)]).toEqual([
      3,
      2,
      2,
      3,
      undefined,
    ]);
  });
});
