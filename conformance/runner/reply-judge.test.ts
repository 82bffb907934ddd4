import { expect, test } from 'vitest';
import { SYSTEM_CLOCK } from '../client/clock.ts';
import { answered } from '../client/exchange.testing.ts';
import { OWN_CLAUSE, type ReplyRule } from '../model/rule.ts';
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
