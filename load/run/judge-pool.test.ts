import { expect, test } from 'vitest';
import { createRedactor } from '../../conformance/client/redaction.ts';
import { ThreadEnded } from '../../conformance/output/thread.ts';
import { createSampleJudge, type SampleJudge } from '../result/sample-judge.ts';
import { type BatchAnswer, openJudgePool, type ReplyToJudge } from './judge-pool.ts';

const WRONG = Buffer.from('wrong');
const RIGHT = Buffer.from('right');

const newJudge = (): SampleJudge =>
  createSampleJudge(
    ({ body }) =>
      body.equals(WRONG) ? [{ rule: 'r', clause: '1', expected: 'right', actual: 'wrong' }] : [],
    createRedactor('key'),
  );

const reply = (body: Buffer): ReplyToJudge => ({
  ...{ target: '/swap?apiKey=', endpoint: 'swap', status: 200, rawHeaders: [] },
  ...{ body, dueMs: 1_000, latencyMs: 500 },
});

/** Offers replies, to judges that begin when they are let. */
function offerTo(bodies: readonly Buffer[]) {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let end = (): void => {};
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(new ThreadEnded('it was ended'));
  });
  ended.catch(() => {});
  const total = newJudge();
  const pool = openJudgePool({ module: '', data: '', threads: 1 }, total.add, () => ({
    end,
    ask: ({ replies, bodies: block }) => {
      const judge = newJudge();
      let at = 0;
      for (const { length, ...each } of replies) {
        judge.take({ ...each, body: Buffer.from(block, at, length) });
        at += length;
      }
      const answer: BatchAnswer = { ...judge.judged(), cpuMs: 2 };
      return Promise.race([begun.then(() => answer), ended]);
    },
  }));
  for (const body of bodies) pool.offer(reply(body));
  return { pool, total, begin };
}

test('one wrong reply in ten thousand -> found, all of them judged', async () => {
  const { pool, total, begin } = offerTo([]);
  begin();
  await pool.ready;
  for (let n = 0; n < 10_000; n++) {
    pool.offer(reply(n === 7_777 ? WRONG : RIGHT));
    if (n % 1_000 === 999) await pool.drained();
  }
  const result = total.result();
  expect(result).toMatchObject({ judged: 10_000, wrong: 1, leftOut: 0 });
  expect(result.findings).toMatchObject([{ rule: 'r', count: 1, firstS: 1, excerpt: 'wrong' }]);
});

test('judges that do not follow -> the rest is left out, and counted', async () => {
  const { pool, total, begin } = offerTo(Array(10_000).fill(WRONG));
  begin();
  await pool.drained();
  const { judged, wrong, leftOut, findings } = total.result();
  expect(judged).toBeGreaterThan(0);
  expect(judged).toBeLessThan(2_000);
  expect(wrong).toBe(judged);
  expect(leftOut).toBe(10_000 - judged);
  expect(findings).toMatchObject([{ count: judged }]);
});

test('judges that are ended -> what they had not judged is left out', async () => {
  const { pool, total } = offerTo(Array(100).fill(WRONG));
  pool.flush();
  pool.end();
  await pool.drained();
  expect(total.result()).toMatchObject({ judged: 0, wrong: 0, leftOut: 100, findings: [] });
  expect(pool.cpuMs()).toBe(0);
});
