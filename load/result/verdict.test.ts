import { expect, test } from 'vitest';
import type { ThresholdResult } from '../model/load-result.ts';
import { type Evidence, verdictOf } from './verdict.ts';

const held: ThresholdResult = { metric: 'p99', endpoint: 'all', max: 50, actual: 20, held: true };
const crossed: ThresholdResult = { ...held, actual: 80, held: false, firstCrossedS: 3 };
const wrong: ThresholdResult = { metric: 'wrong', endpoint: 'all', max: 0, actual: 2, held: false };
const unmeasured: ThresholdResult = { metric: 'p99', endpoint: 'tokens', max: 50, held: false };

const MEASURED = {
  ...{ aborted: false, lostProcesses: 0, sent: 100, clientLag: { p99Ms: 1, maxMs: 2 } },
  endpoints: {},
  intervals: [],
};
/** The client could not open every connection during the warm-up. Only the intervals show that. */
const short = {
  intervals: [
    { endpoints: { swap: { errors: { reset: 4, client: 3 } }, tokens: { errors: { client: 1 } } } },
    { endpoints: { tokens: { errors: { client: 1 } } } },
  ],
} as unknown as Measured;
const failing = {
  ...{ clientLag: { p99Ms: 500, maxMs: 900 } },
  endpoints: {
    swap: { errors: { status: 103, reset: 2, timeout: 1 }, statuses: { 200: 40, 500: 103 } },
    invalid: { errors: { status: 1 }, statuses: { 400: 9, 200: 1 } },
  },
} as unknown as Measured;
const late = (p99Ms: number) => ({ clientLag: { p99Ms, maxMs: 900 } });

type Changes = Partial<Omit<Evidence, 'measurement'>>;
type Measured = Partial<Evidence['measurement']>;

test.each<[what: string, Changes, Measured, verdict: string, reason: RegExp]>([
  ['every threshold held', {}, {}, 'passed', /^all 1 thresholds held$/],
  [
    'a crossed threshold',
    { thresholds: [held, crossed, unmeasured] },
    {},
    'failed',
    /^p99 of all requests is 80 ms: at most 50 ms allowed, crossed by 30 ms \(60%\), first at 3 s$/,
  ],
  [
    'a threshold that could not be measured',
    { thresholds: [held, unmeasured] },
    {},
    'incomplete',
    /^p99 of tokens was not measured: at most 50 ms allowed$/,
  ],
  [
    'a crossed threshold on errors',
    { thresholds: [{ metric: 'errors', endpoint: 'all', max: 0.1, actual: 0.5, held: false }] },
    { endpoints: failing.endpoints ?? {} },
    'failed',
    /^errors of all .*\. Errors: status 500 \(103\), reset \(2\), timeout \(1\), status 200 \(1\)$/,
  ],
  ['no judged reply', { judged: 0 }, {}, 'incomplete', /^no reply could be judged$/],
  [
    'a client behind its schedule',
    {},
    late(21),
    'invalid',
    /fell behind .* 21\.0 ms late .* --max-client-lag allows 20 ms\. Use .* --processes .* raise --max/,
  ],
  [
    'a client behind its schedule, and a crossed threshold',
    { thresholds: [crossed] },
    late(21),
    'invalid',
    /fell behind/,
  ],
  ['a client within its bound', { maxClientLagMs: 25 }, late(21), 'passed', /held$/],
  ['a client without a schedule', { model: 'closed' }, late(21), 'passed', /held$/],
  ['a client exactly at its bound', {}, late(20), 'passed', /held$/],
  [
    'a wrong reply, and a late client',
    { thresholds: [wrong] },
    late(500),
    'failed',
    /^wrong of all/,
  ],
  ['a client without descriptors', { model: 'closed' }, short, 'invalid', /^5 requests had no con/],
  [
    'a late client, and a service that fails',
    {},
    failing,
    'invalid',
    /fell behind.*\. The service also failed: status 500 \(103\), reset \(2\), status 200 \(1\)$/,
  ],
  [
    'a client without descriptors, and a wrong reply',
    { thresholds: [wrong] },
    short,
    'failed',
    /^wrong of all/,
  ],
  ['a lost client process', {}, { lostProcesses: 1 }, 'invalid', /^1 client process.* without a/],
  ['a run ended early', {}, { aborted: true }, 'incomplete', /^the run was ended early$/],
  [
    'a run ended early, with a cause',
    { endedBy: 'a cause' },
    { aborted: true },
    'incomplete',
    /: a cause$/,
  ],
  ['nothing sent', {}, { sent: 0 }, 'incomplete', /^no request could be sent$/],
])('%s -> its verdict and the reason', (_, changes, measured, verdict, reason) => {
  const measurement = { ...MEASURED, ...measured };
  const evidence: Evidence = { measurement, thresholds: [held], judged: 50, model: 'open' };
  const found = verdictOf({ ...evidence, ...changes });
  expect(found).toEqual({ verdict, reason: expect.stringMatching(reason) });
});
