import { describe, expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import { readQuote } from '../discovery/quote.ts';
import { readSwapPlan } from '../execution/settle/read-swap-plan.ts';
import { tokenAt } from '../model/judged-reply.ts';
import { sketchPlan } from '../model/plan-sketch.ts';
import { planKey } from '../rule-kit/plan-key.ts';
import { balancePlan } from './conservation.ts';
import { type Plan, planIn, readSwapBody, swapBodyIn } from './plan.ts';
import { inspectGraph } from './plan-graph.ts';
import { findDanglingIds, findRepeatedIds, findUnusedIds } from './references.ts';

const [SOLD, BOUGHT] = ['c', 'd'].map((digit) => `0x${digit.repeat(40)}`);

const planWithIds = (sold: string, bought: string) => `{
  "sell": {"referenceId":${sold},"amount":"5"},
  "buy": {"amount":"7","referenceId" : ${bought} },
  "tokens": [{"referenceId":${sold},"address":"${SOLD}"},{"referenceId":${bought},"address":"${BOUGHT}"}],
  "routes": [{"address":"0x1","name":"V2",
    "fromTokens":[{"referenceId":${sold},"amount":"5"}],"toTokens":[{"referenceId":${bought},"amount":"7"}]}]
}`;

function planOf(text: string): Plan {
  const plan = planIn(swapBodyIn(exchangeWith(text).outcome));
  if (plan === undefined) throw new Error('not a plan');
  return plan;
}

describe.each([
  ['9007199254740992', '9007199254740993'],
  ['1234567890123456789012345678901234567891', '1234567890123456789012345678901234567892'],
  ['-9007199254740993', '-9007199254740994'],
])('ids %s and %s, which round to the same float -> two tokens', (sold, bought) => {
  const exchange = exchangeWith(planWithIds(sold, bought));
  const plan = planOf(planWithIds(sold, bought));

  test('in the checks', () => {
    expect([plan.sell, plan.buy].map(({ referenceId }) => String(referenceId))).toEqual([
      sold,
      bought,
    ]);
    const dangling = findDanglingIds(plan);
    expect([...findRepeatedIds(plan), ...dangling.ends, ...dangling.routes]).toEqual([]);
    expect(findUnusedIds(plan)).toEqual([]);
    expect(balancePlan(plan, 0).imbalances).toEqual([]);
    expect(inspectGraph(plan)).toMatchObject({ selfLoops: [], sellReachesBuy: true });
  });

  test('in the rules', () => {
    expect(tokenAt(plan, plan.buy.referenceId)?.address).toBe(BOUGHT);
    expect(planKey(exchange)).toMatch(`"${SOLD}" 5 for "${BOUGHT}" 7`);
  });

  test('in a settlement', () => {
    expect(readSwapPlan(exchange)).toMatchObject({
      sell: { token: SOLD, amount: 5n },
      buy: { token: BOUGHT, amount: 7n },
      steps: [{ from: [{ token: SOLD }], to: [{ token: BOUGHT }] }],
      tokens: [SOLD, BOUGHT],
    });
  });

  test('in a drawing', () => {
    const sketch = sketchPlan(swapBodyIn(exchange.outcome));
    expect(sketch?.tokens.map(({ ref }) => ref)).toEqual([sold, bought]);
    expect([sketch?.sell?.ref, sketch?.buy?.ref]).toEqual([sold, bought]);
    expect(sketch?.routes[0]?.toTokens[0]?.ref).toBe(bought);
  });

  test('in discovery', () => {
    const quote = readQuote(exchange);
    expect([quote?.buyAmount, quote?.tokens.size]).toEqual([7n, 2]);
  });
});

describe('swapBodyIn', () => {
  test.each([
    ['1000', '1e3'],
    ['1', '1.0'],
    ['1000000000000000', '1e15'],
    ['0', '-0'],
  ])('an id written as %s, and elsewhere as %s -> one id', (one, other) => {
    const { sell, buy } = planOf(planWithIds(one, other));
    expect(sell.referenceId === buy.referenceId).toBe(true);
  });

  test.each([['1.5'], ['"1"'], ['"9007199254740993"'], ['null'], ['[9007199254740993]']])(
    'a reference id of %s -> no plan, but a body',
    (id) => {
      const body = swapBodyIn(exchangeWith(planWithIds(id, '2')).outcome);
      expect(body?.buy.referenceId).toBe(2);
      expect(body?.sell).toMatchObject({ referenceId: undefined, amount: 5n, pointer: '/sell' });
      expect(planIn(body)).toBeUndefined();
    },
  );

  test('long numbers inside a string -> unchanged', () => {
    const name = 'a "referenceId":12345678901234567890, or "referenceId" :1';
    const text = planWithIds('9007199254740993', '2').replace('"V2"', JSON.stringify(name));
    expect(planOf(text).routes[0]?.fields.name).toBe(name);
  });

  test('not an object, not a 200, or not JSON -> undefined', () => {
    expect(swapBodyIn(exchangeWith([]).outcome)).toBeUndefined();
    expect(swapBodyIn(exchangeWith({}, { status: 400 }).outcome)).toBeUndefined();
    expect(
      swapBodyIn(exchangeWith('{"referenceId":12345678901234567890,').outcome),
    ).toBeUndefined();
  });
});

describe('planIn', () => {
  const correct = {
    sell: { referenceId: 1, amount: '5' },
    buy: { referenceId: 2, amount: '5' },
    tokens: [{ referenceId: 1 }],
    routes: [],
  };
  test.each([
    [null],
    [[]],
    [{ ...correct, sell: null }],
    [{ ...correct, buy: { referenceId: 1.5, amount: '5' } }],
    [{ ...correct, buy: { referenceId: 1, amount: 5 } }],
    [{ ...correct, buy: { referenceId: 1, amount: '0x5' } }],
    [{ ...correct, buy: { referenceId: '2', amount: '5' } }],
    [{ ...correct, buy: { referenceId: '12345678901234567', amount: '5' } }],
    [{ ...correct, tokens: {} }],
    [{ ...correct, tokens: [1] }],
    [{ ...correct, tokens: [{}] }],
    [{ ...correct, routes: 'none' }],
    [{ ...correct, routes: [null] }],
    [{ ...correct, routes: [{ fromTokens: [], toTokens: {} }] }],
    [{ ...correct, routes: [{ fromTokens: [{}], toTokens: [] }] }],
    [{ ...correct, routes: [{ toTokens: [] }] }],
  ])('%j -> no plan to check', (document) => {
    expect(planIn(readSwapBody(correct))).toBeDefined();
    expect(planIn(readSwapBody(document))).toBeUndefined();
  });
});
