import { afterAll, expect, test } from 'vitest';
import { createStepCounter } from '../../fixtures/testing/growth.testing.ts';
import { planIn, readSwapBody } from './plan.ts';
import { inspectGraph } from './plan-graph.ts';

const counter = createStepCounter();
afterAll(counter.stop);
const { checkPlan, STRANGE_PLANS } = await counter.load(() => import('./strange-plans.testing.ts'));

test.each(Object.entries(STRANGE_PLANS))(
  '%s -> checked in a number of steps linear in its size',
  (_, of) =>
    counter.expectLinear((size) => {
      const document = of(size);
      return () => checkPlan(document);
    }, 500),
);

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
