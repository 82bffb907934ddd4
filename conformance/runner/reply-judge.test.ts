import { expect, test } from 'vitest';
import { SYSTEM_CLOCK } from '../client/clock.ts';
import { answered } from '../client/exchange.testing.ts';
import { OWN_CLAUSE, type ReplyRule } from '../model/rule.ts';
import { PASS } from '../rule-kit/faults.ts';
import { createLedger } from './ledger.ts';
import { createReplyJudge } from './reply-judge.ts';

test("a large reply, with a thread -> the user's own rules judge it here, as none can be sent there; each has its time", async () => {
  const rule = (id: string, clause: string): ReplyRule => ({
    ...{ kind: 'reply', id, clause, level: 'must', title: id },
    judge: () => ({ findings: [] }),
  });
  const rules = [rule('chain/a', '2.7 chainId'), rule('own/b', OWN_CLAUSE)];
  const ledger = createLedger({ rules, weigh: () => 0, apart: new Set() });
  const asked: number[] = [];
  let ms = 0;
  const judge = createReplyJudge({
    ...{ rules, ledger, tolerancePpm: 1, clock: { ...SYSTEM_CLOCK, now: () => ms++ } },
    thread: {
      judge: async ({ id }) => {
        asked.push(id);
        return [['chain/a', { findings: [] }, 40]];
      },
      close: () => undefined,
    },
  });
  await judge(answered(['x'.repeat(200_000)], { id: 7 }), undefined, {});
  expect(asked).toEqual([7]);
  const tallies = [...ledger.tallies.values()];
  expect(tallies.map(({ checks, durationMs }) => [checks, durationMs])).toEqual([
    [1, 40],
    [1, 1],
  ]);
});

test('passes that are counted without a word -> in the tally whenever it is read, until its rule is set back or all is struck out', async () => {
  const exchange = answered([]);
  let judged = 0;
  const rule: ReplyRule = {
    ...{ kind: 'reply', id: 'chain/a', clause: '2.7 chainId', level: 'must', title: 'a' },
    judge: () => {
      judged++;
      if (judged === 120) throw new Error('broken');
      return PASS;
    },
  };
  const ledger = createLedger({ rules: [rule], weigh: () => 0, apart: new Set() });
  const judge = createReplyJudge({ rules: [rule], ledger, tolerancePpm: 1 });
  const checksAfter = async (more: number) => {
    for (let time = 0; time < more; time++) await judge(exchange, undefined, {});
    return ledger.tallies.get(rule.id)?.checks;
  };
  expect([await checksAfter(50), await checksAfter(7), await checksAfter(0)]).toEqual([50, 57, 57]);
  for (let time = 0; time < 10; time++) await judge(exchange, undefined, {});
  ledger.forget();
  expect([await checksAfter(0), await checksAfter(40)]).toEqual([0, 40]);
  expect([await checksAfter(12), await checksAfter(30)]).toEqual([52, 52]);
});
