import { expect, test } from 'vitest';
import { balancePlan } from './conservation.ts';
import { planIn, readSwapBody } from './plan.ts';
import { inspectGraph } from './plan-graph.ts';
import { findDanglingIds, findRepeatedIds, findUnusedIds } from './references.ts';

test('100,000 routes in one chain -> judged in linear time', () => {
  const length = 100_000;
  const routes = Array.from({ length }, (_, at) => ({
    fromTokens: [{ referenceId: at, amount: '5' }],
    toTokens: [{ referenceId: at + 1, amount: '5' }],
  })).reverse();
  const document = {
    sell: { referenceId: 0, amount: '5' },
    buy: { referenceId: length, amount: '5' },
    tokens: Array.from({ length: length + 1 }, (_, referenceId) => ({ referenceId })),
    routes,
  };
  const before = process.cpuUsage();
  const plan = planIn(readSwapBody(document));
  if (plan === undefined) throw new Error('not a plan');
  const { sellReachesBuy, ...faults } = inspectGraph(plan);
  expect(sellReachesBuy).toBe(true);
  expect(Object.values(faults).flat()).toEqual([]);
  expect(balancePlan(plan, 0).imbalances).toEqual([]);
  const { ends, routes: dangling } = findDanglingIds(plan);
  expect([...findRepeatedIds(plan), ...ends, ...dangling, ...findUnusedIds(plan)]).toEqual([]);
  // A quadratic check would need minutes.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
