import { expect, test } from 'vitest';
import { SYSTEM_CLOCK } from '../client/clock.ts';
import { exchangeWith } from '../client/exchange.testing.ts';
import { OWN_CLAUSE, type ReplyRule } from '../model/rule.ts';
import { createReplyJudge } from './judging.ts';
import { Ledger } from './ledger.ts';

test('rules of the catalog and of a user -> each is timed, and judges once', () => {
  const rule = (id: string, clause: string): ReplyRule => ({
    ...{ kind: 'reply', id, clause, level: 'must', title: id },
    check: (_, t) => t.check(),
  });
  const rules = [rule('chain/a', '2.7 chainId'), rule('own/b', OWN_CLAUSE)];
  const ledger = new Ledger({ rules, weigh: () => 0 });
  let ms = 0;
  const judge = createReplyJudge({
    ...{ rules, ledger, tolerancePpm: 1, clock: { ...SYSTEM_CLOCK, now: () => ms++ } },
  });
  judge(exchangeWith(['x'.repeat(200_000)]), undefined, {});
  const tallies = [...ledger.tallies.values()];
  expect(tallies.map(({ checks, durationMs }) => [checks, durationMs])).toEqual([
    [1, 1],
    [1, 1],
  ]);
});

test('passes -> counted until the rule gets an obstacle, and cleared with the ledger', () => {
  const exchange = exchangeWith([]);
  let judged = 0;
  const rule: ReplyRule = {
    ...{ kind: 'reply', id: 'chain/a', clause: '2.7 chainId', level: 'must', title: 'a' },
    check: (_, t) => {
      judged++;
      if (judged === 120) throw new Error('broken');
      t.check();
    },
  };
  const ledger = new Ledger({ rules: [rule], weigh: () => 0 });
  const judge = createReplyJudge({ rules: [rule], ledger, tolerancePpm: 1 });
  const checksAfter = (more: number) => {
    for (let time = 0; time < more; time++) judge(exchange, undefined, {});
    return ledger.tallies.get(rule.id)?.checks;
  };
  expect([checksAfter(50), checksAfter(7), checksAfter(0)]).toEqual([50, 57, 57]);
  for (let time = 0; time < 10; time++) judge(exchange, undefined, {});
  ledger.forget();
  expect([checksAfter(0), checksAfter(40)]).toEqual([0, 40]);
  expect([checksAfter(12), checksAfter(30)]).toEqual([52, 52]);
});
