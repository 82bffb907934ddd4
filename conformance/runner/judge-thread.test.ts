import { expect, test } from 'vitest';
import { STRANGE_PLANS } from '../checks/strange-plans.testing.ts';
import { answered } from '../client/exchange.testing.ts';
import type { Service } from '../client/in-process.testing.ts';
import { goldenFacts } from '../model/golden-replies.testing.ts';
import { CATALOG, CATALOG_MODULE } from '../rules/catalog.ts';
import { CATALOG as ENDLESS, CATALOG_MODULE as ENDLESS_MODULE } from './endless-rules.testing.ts';
import { createExchangeJudge } from './judge-exchange.ts';
import { judgeService } from './judge-service.testing.ts';
import { createThreadJudge, type JudgeAnswer } from './judge-thread.ts';
import { tinyAnswer } from './tiny-service.testing.ts';

test('strange plans -> a thread says of them what is said here', async () => {
  const thread = createThreadJudge({ catalog: CATALOG_MODULE }, CATALOG, 1);
  const { judge: judgeHere } = createExchangeJudge(CATALOG, 1);
  for (const planOf of Object.values(STRANGE_PLANS)) {
    const exchange = answered(planOf(40));
    const said: JudgeAnswer[number][] = [];
    judgeHere(exchange, goldenFacts, ({ id }, verdict) =>
      said.push([id, verdict, expect.any(Number)]),
    );
    expect(await thread.judge(exchange, goldenFacts, undefined)).toEqual(said);
  }
  thread.close();
});

test('a body and names of routers -> read in the thread as they were read before', async () => {
  const routerNames = { 'default-router': 'THEIRS' };
  const rules = CATALOG.filter(({ id }) => id === 'swap-response/router-name');
  const thread = createThreadJudge({ catalog: CATALOG_MODULE, routerNames }, rules, 1);
  const said = await thread.judge(answered({ router: 'THEIRS' }), undefined, undefined);
  expect(said).toEqual([['swap-response/router-name', { findings: [] }, expect.any(Number)]]);
  thread.close();
});

/** A service whose replies are large, judged by a rule that never comes to an end. */
function judgeEndlessly(options: { maxTimeMs?: number; signal?: AbortSignal }) {
  const service: Service = (url) => ({
    body: JSON.stringify(tinyAnswer(url).body) + ' '.repeat(100_000),
  });
  return judgeService(service, {
    ...options,
    rules: ENDLESS,
    thread: { catalog: ENDLESS_MODULE },
  });
}

test('a rule that never ends -> the deadline ends the run', async () => {
  const { report } = await judgeEndlessly({ maxTimeMs: 1_000 });
  expect(report).toMatchObject({
    verdict: 'incomplete',
    requests: 1,
    rules: [{ outcome: 'could-not-run', why: 'the budget of 1 s is spent' }],
  });
});

test('a rule that never ends -> a signal ends the run', async () => {
  const signal = AbortSignal.timeout(500);
  const { report } = await judgeEndlessly({ signal });
  expect(report).toMatchObject({
    verdict: 'incomplete',
    requests: 1,
    rules: [{ outcome: 'could-not-run', why: 'the run was ended early' }],
  });
});
