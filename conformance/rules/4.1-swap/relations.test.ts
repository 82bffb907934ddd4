import { describe, expect, test } from 'vitest';
import { exactInput, exactOutput, tradesOf } from '../../generate/trades.ts';
import { planKey } from '../../rule-kit/plan-key.ts';
import { findAlternation } from '../../rule-kit/same-plan.ts';
import { bracket, confirmFault } from '../../rule-kit/steady-market.ts';
import { CATALOG } from '../catalog.ts';
import { modelFacts, modelSession, type Sabotage } from '../model-service.testing.ts';

const [trade] = tradesOf(modelFacts);
if (trade === undefined) throw new Error('the model has no trade');
const query = exactInput(trade);
const change =
  (by: bigint, when: (count: number) => boolean): Sabotage =>
  (answer, _p, _path, count) =>
    when(count) && answer.body.buy !== undefined
      ? {
          ...answer,
          body: {
            ...answer.body,
            buy: { ...answer.body.buy, amount: String(BigInt(answer.body.buy.amount) + by) },
          },
        }
      : answer;

describe('bracket', () => {
  test('the market holds still -> both replies', async () => {
    const session = modelSession();
    const pair = await bracket(session, query, () => query);
    expect(planKey(pair?.first ?? never())).toBe(planKey(pair?.second ?? never()));
    expect(session.sent).toHaveLength(3);
  });

  const moving: Sabotage = (answer, params, path, count) =>
    change(BigInt(count), () => true)(answer, params, path, count);

  test('it moves with every reply -> nothing to judge', async () => {
    expect(await bracket(modelSession(moving), query, () => query)).toBeUndefined();
  });

  test('it moves now and then -> what both requests give at once', async () => {
    const blockAt = (count: number) => (count < 3 ? count : 10 + Math.floor((count - 3) / 5));
    const session = modelSession((answer, params, path, count) =>
      change(BigInt(blockAt(count)), () => true)(answer, params, path, count),
    );
    const other = exactOutput(trade);
    const pair = await bracket(session, query, () => other);
    expect(pair?.first.query).toEqual(expect.arrayContaining([['sellAmount', expect.anything()]]));
    expect(pair?.second.query).toEqual(expect.arrayContaining([['buyAmount', expect.anything()]]));
    expect(session.sent).toHaveLength(8);
  });

  test('it moves between requests that are sent at once -> asked again', async () => {
    const session = modelSession((answer, params, path, count) =>
      change(count < 6 ? BigInt(count) : 9n, () => true)(answer, params, path, count),
    );
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
    const verdict = await findAlternation(
      modelSession(change(1n, (count) => count % 2 === 0)),
      query,
    );
    expect(verdict?.finding?.actual).toContain('in turn');
  });

  test('the market holds still -> no finding, from six requests', async () => {
    const session = modelSession();
    expect(await findAlternation(session, query)).toEqual({ finding: undefined });
    expect(session.sent).toHaveLength(6);
  });

  test.each([0, 1, 2, 3, 4])('it moves once, after reply %i -> nothing to judge', async (at) => {
    const session = modelSession(change(1n, (count) => count > at));
    expect(await findAlternation(session, query)).toBeUndefined();
  });

  test('no plan -> nothing to judge', async () => {
    expect(await findAlternation(modelSession(), exactInput(trade, 0n))).toBeUndefined();
  });
});

describe('a service with one wrong reply in twenty', () => {
  test('no relation is blamed but that replies repeat', async () => {
    for (const rule of CATALOG) {
      if (rule.kind !== 'probe' || !rule.id.startsWith('relation/')) continue;
      if (rule.id === 'relation/repeats') continue;
      const verdict = await rule.run(modelSession(change(7n, (count) => count % 20 === 7)));
      if (verdict.kind !== 'judged') throw new Error(rule.id);
      expect([rule.id, verdict.findings.length]).toEqual([rule.id, 0]);
    }
  });
});

describe('planKey', () => {
  test('routes and ids in another order, prices and calldata apart -> one key', async () => {
    const session = modelSession((answer, _p, _path, count) =>
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
    const session = modelSession((answer, _p, _path, count) => {
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
