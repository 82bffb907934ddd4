import { describe, expect, test } from 'vitest';
import { exactInput, exactOutput, tradesOf } from '../generate/trades.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { modelSession, type Sabotage } from '../model/model-service.testing.ts';
import { planKey } from './plan-key.ts';
import { plans } from './sabotage.testing.ts';
import { findAlternation } from './same-plan.ts';
import { bracket, confirmFault } from './steady-market.ts';

const [trade] = tradesOf(modelFacts);
if (trade === undefined) throw new Error('the model has no trade');
const query = exactInput(trade);
/** Buys more by what `by` returns for the number of requests before. */
const moving =
  (by: (count: number) => number): Sabotage =>
  (answer, { count }) =>
    plans((body) => {
      body.buy.amount = String(BigInt(body.buy.amount) + BigInt(by(count)));
    })(answer);

describe('bracket', () => {
  test('the market holds still -> both replies', async () => {
    const session = modelSession();
    const pair = await bracket(session, query, () => query);
    expect(planKey(pair?.first ?? never())).toBe(planKey(pair?.second ?? never()));
    expect(session.sent).toHaveLength(3);
  });

  test('it moves with every reply -> nothing to judge', async () => {
    expect(
      await bracket(modelSession(moving((count) => count)), query, () => query),
    ).toBeUndefined();
  });

  test('it moves now and then -> what both requests give at once', async () => {
    const blockAt = (count: number) => (count < 3 ? count : 10 + Math.floor((count - 3) / 5));
    const session = modelSession(moving(blockAt));
    const other = exactOutput(trade);
    const pair = await bracket(session, query, () => other);
    expect(pair?.first.query).toEqual(expect.arrayContaining([['sellAmount', expect.anything()]]));
    expect(pair?.second.query).toEqual(expect.arrayContaining([['buyAmount', expect.anything()]]));
    expect(session.sent).toHaveLength(8);
  });

  test('it moves between requests that are sent at once -> asked again', async () => {
    const session = modelSession(moving((count) => (count < 6 ? count : 9)));
    expect(await bracket(session, query, () => query)).toBeDefined();
    expect(session.sent).toHaveLength(13);
  });

  test('frozen -> two requests are enough', async () => {
    const session = { ...modelSession(), frozen: true };
    expect(await bracket(session, query, () => query)).toBeDefined();
    expect(session.sent).toHaveLength(2);
  });

  test('no plan, or nothing to ask next -> nothing to judge', async () => {
    expect(await bracket(modelSession(), exactInput(trade, 0n), () => query)).toBeUndefined();
    const session = modelSession();
    expect(await bracket(session, query, () => undefined)).toBeUndefined();
    expect(session.sent).toHaveLength(1);
  });
});

describe('confirmFault', () => {
  test.each([
    [[{ finding: undefined }], { finding: undefined }],
    [[undefined], undefined],
    [[{ finding: 1 }, { finding: undefined }], undefined],
    [[{ finding: 1 }, undefined], undefined],
    [[{ finding: 1 }, { finding: 2 }], { finding: 2 }],
  ])('%j -> %j', async (attempts, expected) => {
    const left = [...attempts];
    expect(await confirmFault(() => Promise.resolve(left.shift()))).toEqual(expected);
    expect(left).toEqual([]);
  });
});

describe('findAlternation', () => {
  test('every second reply is another -> a finding', async () => {
    const verdict = await findAlternation(modelSession(moving((count) => 1 - (count % 2))), query);
    expect(verdict?.finding?.actual).toContain('in turn');
  });

  test('the market holds still -> no finding, from six requests', async () => {
    const session = modelSession();
    expect(await findAlternation(session, query)).toEqual({ finding: undefined });
    expect(session.sent).toHaveLength(6);
  });

  test.each([0, 1, 2, 3, 4])('it moves once, after reply %i -> nothing to judge', async (at) => {
    const session = modelSession(moving((count) => (count > at ? 1 : 0)));
    expect(await findAlternation(session, query)).toBeUndefined();
  });

  test('no plan -> nothing to judge', async () => {
    expect(await findAlternation(modelSession(), exactInput(trade, 0n))).toBeUndefined();
  });
});

describe('planKey', () => {
  test('routes and ids in another order, prices and calldata apart -> one key', async () => {
    const session = modelSession((answer, { count }) =>
      count === 0
        ? answer
        : {
            ...answer,
            body: {
              ...answer.body,
              routes: [...answer.body.routes].reverse(),
              calldata: '0x00',
              nativeTokenUsdPrice: 3,
            },
          },
    );
    const asked = { path: '/api/v1.0/swap', query };
    expect(planKey(await session.get(asked))).toBe(planKey(await session.get(asked)));
  });

  test.each([
    [
      'another pool',
      (body: { routes: { address: string }[] }) =>
        ((body.routes[0] as { address: string }).address = `0x${'9'.repeat(40)}`),
    ],
    [
      'another token',
      (body: { tokens: { address: string }[] }) =>
        ((body.tokens[0] as { address: string }).address = `0x${'9'.repeat(40)}`),
    ],
  ])('%s -> another key', async (_what, breakIt) => {
    const session = modelSession((answer, { count }) => {
      const body = structuredClone(answer.body);
      if (count === 1) breakIt(body);
      return { ...answer, body };
    });
    const asked = { path: '/api/v1.0/swap', query };
    const [one, other] = [planKey(await session.get(asked)), planKey(await session.get(asked))];
    expect(one).toBeDefined();
    expect(one).not.toBe(other);
  });
});

function never(): never {
  throw new Error('no pair');
}
