import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { deserialize } from 'node:v8';
import { createRedactor } from '../../conformance/client/redaction.ts';
import { answerQuestions } from '../../conformance/output/thread.ts';
import type { KnownToJudge } from '../../load/play/service-load.ts';
import { createSampleJudge } from '../../load/result/sample-judge.ts';
import type { Batch, BatchAnswer } from '../../load/run/judge-pool.ts';
import { prepareJudge } from './load-judge.ts';

/* The entry of a thread that judges replies of a load run, a batch at a time. */

const ON_LINUX = process.platform === 'linux';
/** The service and the client come first: judging takes what they leave. */
const LOWEST_PRIORITY = 19;

await answerQuestions(async (data: string) => {
  // There a priority is a thread's own; elsewhere it would be the whole client's.
  if (ON_LINUX) setPriority(LOWEST_PRIORITY);
  const { facts, routerNames, apiKey } = deserialize(Buffer.from(data, 'base64')) as KnownToJudge;
  const judge = prepareJudge(facts, routerNames);
  const redactor = createRedactor(apiKey);
  return ({ replies, bodies }: Batch): BatchAnswer => {
    const startMs = cpuMs();
    const batch = createSampleJudge(judge, redactor);
    let at = 0;
    for (const { length, ...reply } of replies) {
      batch.take({ ...reply, body: Buffer.from(bodies, at, length) });
      at += length;
    }
    return { ...batch.judged(), cpuMs: cpuMs() - startMs };
  };
});

/** Processor time of this thread; elsewhere than on Linux, the clock. */
function cpuMs(): number {
  if (!ON_LINUX) return performance.now();
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
}
