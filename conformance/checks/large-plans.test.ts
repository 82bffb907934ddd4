import { expect, test } from 'vitest';
import { balancePlan } from './conservation.ts';
import { expectLinear } from './growth.testing.ts';
import { planIn, readSwapBody } from './plan.ts';
import { inspectGraph } from './plan-graph.ts';
import { findDanglingIds, findRepeatedIds, findUnusedIds } from './references.ts';
import { STRANGE_PLANS } from './strange-plans.testing.ts';

test.each(Object.entries(STRANGE_PLANS))('%s -> checked in time linear in its size', (_, of) =>
  expectLinear((size) => {
    const document = of(size);
    return () => check(document);
  }, 1_000),
);

function check(document: object): void {
  const plan = planIn(readSwapBody(document));
  if (plan === undefined) throw new Error('not a plan');
  inspectGraph(plan);
  balancePlan(plan, 1);
  findRepeatedIds(plan);
  findDanglingIds(plan);
  findUnusedIds(plan);
}

test('one route from 50,000 tokens to 50,000 others -> no fault', () => {
  const length = 50_000;
  const legs = (first: number) =>
    Array.from({ length }, (_, at) => ({ referenceId: first + at, amount: '5' }));
  const plan = planIn(
    readSwapBody({
      sell: { referenceId: 0, amount: '5' },
      buy: { referenceId: length, amount: '5' },
      tokens: [],
      routes: [{ fromTokens: legs(0), toTokens: legs(length) }],
    }),
  );
  if (plan === undefined) throw new Error('not a plan');
  const { sellReachesBuy, ...faults } = inspectGraph(plan);
  expect(sellReachesBuy).toBe(true);
  expect(Object.values(faults).flat()).toEqual([]);
});
