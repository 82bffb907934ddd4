import { expect, test } from 'vitest';
import { answered } from '../client/exchange.testing.ts';
import type { ReplyRule } from '../model/rule.ts';
import { createLedger } from './ledger.ts';
import { createReplyJudge } from './reply-judge.ts';

const RULES = 20;
const LARGE = answered({ note: 'x'.repeat(200_000) });

test('a signal while a large reply is judged -> heard between two rules, which is the last', async () => {
  let judged = 0;
  const rules = Array.from(
    { length: RULES },
    (_, index): ReplyRule => ({
      ...{ kind: 'reply', id: `rule/${index}`, clause: '4 status', level: 'must', title: '' },
      judge: () => {
        judged++;
        for (const start = performance.now(); performance.now() - start < 60; );
        return { findings: [] };
      },
    }),
  );
  const ledger = createLedger({ rules, weigh: () => 1, apart: new Set() });
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, 1);
  await createReplyJudge(rules, ledger, 1)(LARGE, undefined, {}, () => isOver);
  expect(judged).toBeGreaterThan(0);
  expect(judged).toBeLessThan(RULES);
});
