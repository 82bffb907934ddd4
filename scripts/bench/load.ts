import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { measure } from '../../load/engine/measure.ts';
import type { RequestMix } from '../../load/mix/request-mix.ts';
import { startSubject } from '../program/load-subject.ts';
import {
  median,
  messageOf,
  printHead,
  printRow,
  startProgram,
  stopPrograms,
  takeTurns,
  timeCommand,
} from './kit.ts';
import { printEngines } from './load-engines.ts';

/*
 * npm run bench:load [-- PART...]: rate and cost of our connections compared with plain autocannon
 * and wrk (if it is installed), against a bare node:http server and the reference; the same of the
 * closed model, which is autocannon with our requests and metrics; cost and lateness of a client
 * that is not at its limit; and the cost of the whole command compared with Locust and k6.
 * Medians are compared. The parts are `bare`, `reference` and `engines`; all take a quarter of an hour.
 */

const SECONDS = 3;
const CONNECTIONS = 50;
const CALM_RATE = 400;
/** The metric includes compiling: long enough that this is a small part, as in a real run. */
const CALM_SECONDS = 40;
/** Requests a second that no client reaches: every connection is always busy. */
const BEYOND_SATURATION = 200_000;
const run = promisify(execFile);

/** Requests a second, and microseconds of processor time per request. */
type Metrics = { readonly rate: number; readonly cpuUs: number };

type Subject = { readonly name: string; readonly url: string; readonly target: string };

async function startBare(): Promise<Subject> {
  const port = await messageOf<number>(startProgram('load-server'));
  return { name: 'bare node:http', url: `http://127.0.0.1:${port}`, target: '/?apiKey=' };
}

function mixOf(target: string): RequestMix {
  return {
    seed: 1,
    kinds: [{ endpoint: 'chains', weight: 1, expect: 'success', templates: [{ target }] }],
  };
}

/** Measures our client in an open model, and without a rate in the closed model. */
async function ours({ url, target }: Subject, rate?: number, seconds = SECONDS) {
  let samples = 0;
  const result = await measure({
    origin: new URL(url),
    workload:
      rate === undefined
        ? { model: 'closed', durationS: seconds }
        : { model: 'open', stages: [{ durationS: seconds, fromRate: rate, toRate: rate }] },
    connections: CONNECTIONS,
    processes: 1,
    timeoutMs: 1000,
    warmUpS: 0,
    mix: mixOf(target),
    apiKey: 'demo',
    onSamples: (some) => {
      samples += some.length;
    },
    onIntervals: () => {},
  });
  if (samples < 50 * seconds * 0.9) throw new Error(`only ${samples} replies were sampled`);
  const [cores = 0] = result.clientCpu;
  const inTime = Object.values(result.endpoints).reduce((sum, each) => sum + each.sentInTime, 0);
  return {
    rate: inTime / seconds,
    cpuUs: (cores * result.durationMs * 1000) / result.sent,
    cores,
    lagP99Ms: result.clientLag.p99Ms,
  };
}

/** Measures plain autocannon in a separate process, with its processor time. */
async function autocannon({ url, target }: Subject): Promise<Metrics> {
  const script = `
    import autocannon from 'autocannon';
    const before = process.cpuUsage();
    const result = await autocannon({ url: '${url}${target}demo', connections: ${CONNECTIONS}, duration: ${SECONDS} });
    const { user, system } = process.cpuUsage(before);
    console.log(JSON.stringify({ rate: result.requests.total / result.duration, cpuUs: (user + system) / result.requests.total }));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout);
}

/** Measures wrk with one thread; its processor time is that of the ended child processes. */
async function wrk({ url, target }: Subject): Promise<Metrics | undefined> {
  const ended = await timeCommand(`wrk -t1 -c${CONNECTIONS} -d${SECONDS}s '${url}${target}demo'`);
  if (ended === undefined) return undefined;
  const requests = Number(/(\d+) requests in/.exec(ended.stdout)?.[1]);
  return { rate: requests / SECONDS, cpuUs: (ended.cpuS * 1e6) / requests };
}

function mediansOf(all: readonly Metrics[]): Metrics {
  return {
    rate: median(all.map(({ rate }) => rate)),
    cpuUs: median(all.map(({ cpuUs }) => cpuUs)),
  };
}

async function bench(subject: Subject): Promise<void> {
  const all = await takeTurns({
    ours: () => ours(subject, BEYOND_SATURATION),
    closed: () => ours(subject),
    autocannon: () => autocannon(subject),
    wrk: () => wrk(subject),
  });
  const [own, closed, plain] = [all.ours, all.closed, all.autocannon].map(mediansOf) as [
    Metrics,
    Metrics,
    Metrics,
  ];
  const native = mediansOf(all.wrk.filter((metrics) => metrics !== undefined));
  const row = (what: string, value: number, goal: string, holds: boolean): void => {
    if (!holds) process.exitCode = 1;
    printRow([subject.name, what, value.toFixed(3), goal, holds ? 'yes' : 'NO']);
  };
  const rate = own.rate / plain.rate;
  row('requests/s at saturation, of autocannon', rate, 'at least 0.97', rate >= 0.97);
  const cpu = own.cpuUs / plain.cpuUs;
  row('client CPU per request, sampling on, of autocannon', cpu, 'at most 0.92', cpu <= 0.92);
  const closedRate = closed.rate / plain.rate;
  row('closed model: requests/s, of autocannon', closedRate, 'at least 0.5', closedRate >= 0.5);
  if (!Number.isNaN(native.rate)) {
    const toWrk = own.cpuUs / native.cpuUs;
    row('client CPU per request, of wrk', toWrk, 'at most 2', toWrk <= 2);
  }
  for (const share of [0.3, 0.5, 0.7]) {
    const wanted = Math.round(own.rate * share);
    // As many requests as at saturation, so that compiling weighs the same in both metrics.
    const seconds = Math.round(SECONDS / share);
    const { open } = await takeTurns({ open: () => ours(subject, wanted, seconds) });
    const middle = median(open.map((metrics) => metrics.rate / wanted));
    const isReached = Math.abs(middle - 1) <= 0.005;
    row(`rate reached of ${wanted}/s, ${share} of saturation`, middle, '1 ± 0.005', isReached);
    if (share !== 0.5) continue;
    const toClosed = mediansOf(open).cpuUs / own.cpuUs;
    row('client CPU per request there, of saturation', toClosed, 'at most 1.5', toClosed <= 1.5);
  }
  const { cores, lagP99Ms } = await ours(subject, CALM_RATE, CALM_SECONDS);
  const calm = `${CALM_RATE}/s, ${CALM_SECONDS} s`;
  row(`cores at ${calm}, sampling on`, cores, 'at most 0.08', cores <= 0.08);
  row(`ms late at ${calm}, p99`, lagP99Ms, 'at most 1', lagP99Ms <= 1);
  const clients = Object.entries({
    ours: own,
    'closed model': closed,
    autocannon: plain,
    wrk: native,
  })
    .filter(([, { rate }]) => !Number.isNaN(rate))
    .map(([client, { rate, cpuUs }]) => `${client} ${rate.toFixed(0)}/s at ${cpuUs.toFixed(1)} us`);
  process.stderr.write(`${subject.name}: ${clients.join(', ')}\n`);
}

const reference = await startSubject();
const parts = {
  bare: async () => bench(await startBare()),
  reference: () =>
    bench({ name: 'the reference', url: reference.url, target: '/api/v1.0/chains?apiKey=' }),
  engines: () => printEngines(reference, CALM_RATE, CONNECTIONS),
};
const asked = process.argv.slice(2);
const unknown = asked.find((part) => !(part in parts));
if (unknown !== undefined)
  throw new Error(`no part '${unknown}', expected ${Object.keys(parts).join(', ')}`);
try {
  printHead(['server', 'metric', 'ratio', 'goal', 'met']);
  for (const [name, measurePart] of Object.entries(parts)) {
    if (asked.length === 0 || asked.includes(name)) await measurePart();
  }
} finally {
  stopPrograms();
  await reference.close();
}
