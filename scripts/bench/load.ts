import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { medianOf } from '../../conformance/model/statistics.ts';
import type { Subject as StartedSubject } from '../../load/commands/subject.ts';
import type { ExportEngine } from '../../load/distributed/export-targets.ts';
import { measure } from '../../load/engine/measure.ts';
import { SAMPLES_PER_SECOND } from '../../load/engine/sampler.ts';
import type { RequestMix } from '../../load/mix/request-mix.ts';
import { startBuiltInReference } from '../cli/built-in-reference.ts';
import { printHead, printRow, stopPrograms, takeTurns, timeCommand } from './kit.ts';
import { startServer } from './start-server.ts';

/*
 * npm run bench:load [-- PART...]: measures the rate and cost of our connections, compared with
 * plain autocannon and wrk (if installed), against a bare node:http server and the reference. Also
 * measures the closed model with requests and metrics of a real run, the cost and lateness of a
 * client below its limit, and the cost of the whole command compared with Locust and k6. Compares
 * medians. The parts `bare`, `reference` and `engines` together take a quarter of an hour. `steady`
 * takes two minutes and measures only the rows at 400 requests per second, against both servers.
 */

const SECONDS = 3;
const CONNECTIONS = 50;
const CALM_RATE = 400;
/** Long enough that compilation is a small part, as in a real run. */
const CALM_SECONDS = 40;
/** Rate in requests per second that no client reaches, so that every connection is always busy. */
const BEYOND_SATURATION = 200_000;
const execute = promisify(execFile);
const PARTS = ['bare', 'reference', 'steady', 'engines'];

const SHORT_S = 2;
const LONG_S = 7;
const SWAPCHECK = `${process.execPath} ${fileURLToPath(new URL('../swapcheck.js', import.meta.url))}`;

/**
 * Sends k6's lines to a file, because one line per request exceeds the maximum output of a captured
 * command.
 */
const K6_LINES = '--log-format=raw --console-output=requests.ndjson';

type Play = (seconds: number) => Promise<number | undefined>;

/** Requests per second, and microseconds of processor time per request. */
type Metrics = { readonly rate: number; readonly cpuUs: number };

type Subject = { readonly name: string; readonly url: string; readonly target: string };

async function startBare(): Promise<Subject> {
  const { url } = await startServer({ kind: 'node' });
  return { name: 'bare node:http', url, target: '/?apiKey=' };
}

function mixOf(target: string): RequestMix {
  return {
    seed: 1,
    kinds: [{ endpoint: 'chains', weight: 1, expect: 'success', templates: [{ target }] }],
  };
}

async function ours({ url, target }: Subject, rate?: number, seconds = SECONDS) {
  let samples = 0;
  const result = await measure({
    origin: url,
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
    samplesPerSecond: SAMPLES_PER_SECOND,
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

async function autocannon({ url, target }: Subject): Promise<Metrics> {
  const script = `
    import autocannon from 'autocannon';
    const before = process.cpuUsage();
    const result = await autocannon({ url: '${url}${target}demo', connections: ${CONNECTIONS}, duration: ${SECONDS} });
    const { user, system } = process.cpuUsage(before);
    console.log(JSON.stringify({ rate: result.requests.total / result.duration, cpuUs: (user + system) / result.requests.total }));`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout);
}

/** Runs wrk with one thread. Its CPU time is the time of the child processes that ended. */
async function wrk({ url, target }: Subject): Promise<Metrics | undefined> {
  const ended = await timeCommand(`wrk -t1 -c${CONNECTIONS} -d${SECONDS}s '${url}${target}demo'`);
  if (ended === undefined) return undefined;
  const requests = Number(/(\d+) requests in/.exec(ended.stdout)?.[1]);
  return { rate: requests / SECONDS, cpuUs: (ended.cpuS * 1e6) / requests };
}

function mediansOf(all: readonly Metrics[]): Metrics {
  return {
    rate: medianOf(all.map(({ rate }) => rate)),
    cpuUs: medianOf(all.map(({ cpuUs }) => cpuUs)),
  };
}

function rowsOf({ name }: Subject) {
  return (what: string, value: number, goal: string, holds: boolean): void => {
    if (!holds) process.exitCode = 1;
    printRow([name, what, value.toFixed(3), goal, holds ? 'yes' : 'NO']);
  };
}

async function benchSteady(subject: Subject): Promise<void> {
  const row = rowsOf(subject);
  const { cores, lagP99Ms } = await ours(subject, CALM_RATE, CALM_SECONDS);
  const calm = `${CALM_RATE}/s, ${CALM_SECONDS} s`;
  row(`cores at ${calm}, sampling on`, cores, 'at most 0.08', cores <= 0.08);
  row(`ms late at ${calm}, p99`, lagP99Ms, 'at most 1', lagP99Ms <= 1);
}

async function benchSaturation(subject: Subject): Promise<void> {
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
  const wrkRuns = all.wrk.filter((metrics) => metrics !== undefined);
  const native = wrkRuns.length === 0 ? undefined : mediansOf(wrkRuns);
  const row = rowsOf(subject);
  const rate = own.rate / plain.rate;
  row('requests/s at saturation, relative to autocannon', rate, 'at least 0.97', rate >= 0.97);
  const cpu = own.cpuUs / plain.cpuUs;
  row(
    'client CPU per request, sampling on, relative to autocannon',
    cpu,
    'at most 0.8',
    cpu <= 0.8,
  );
  const closedRate = closed.rate / plain.rate;
  row(
    'closed model: requests/s, relative to autocannon',
    closedRate,
    'at least 0.5',
    closedRate >= 0.5,
  );
  if (native !== undefined) {
    const toWrk = own.cpuUs / native.cpuUs;
    row('client CPU per request, relative to wrk', toWrk, 'at most 2', toWrk <= 2);
  }
  for (const share of [0.3, 0.5, 0.7]) {
    const wanted = Math.round(own.rate * share);
    // Sends as many requests as at saturation, so that compilation weighs the same in both metrics.
    const seconds = Math.round(SECONDS / share);
    const { open } = await takeTurns({ open: () => ours(subject, wanted, seconds) });
    const middle = medianOf(open.map((metrics) => metrics.rate / wanted));
    const isReached = Math.abs(middle - 1) <= 0.005;
    row(`share of ${wanted}/s reached, at ${share} of saturation`, middle, '1 ± 0.005', isReached);
    if (share !== 0.5) continue;
    const toClosed = mediansOf(open).cpuUs / own.cpuUs;
    row(
      'client CPU per request there, relative to saturation',
      toClosed,
      'at most 1.5',
      toClosed <= 1.5,
    );
  }
  const clients = Object.entries({
    ours: own,
    'closed model': closed,
    autocannon: plain,
    ...(native && { wrk: native }),
  }).map(([client, { rate, cpuUs }]) => `${client} ${rate.toFixed(0)}/s at ${cpuUs.toFixed(1)} us`);
  process.stderr.write(`${subject.name}: ${clients.join(', ')}\n`);
}

/**
 * Prints the CPU time of the whole command, including judging and all its processes. Also prints
 * the CPU time of the engines that run its exports, which do not judge. Starting and ending take
 * the same time in a short and a long run, so only the difference between the two runs counts.
 */
async function printEngines({ url, apiKey }: StartedSubject): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'swapcheck-bench-'));
  const env = { ...process.env, SWAPCHECK_API_KEY: apiKey, SWAPCHECK: 'true' };
  const flags = (seconds: number): string =>
    `--profile steady --rate ${CALM_RATE} --duration ${seconds} --warm-up 0 --connections ${CONNECTIONS}`;
  const run = async (line: string, cwd?: string): Promise<number | undefined> =>
    (await timeCommand(line, cwd === undefined ? { env } : { env, cwd }))?.cpuS;
  const playExport = async (
    engine: ExportEngine,
    line: string,
    seconds: number,
  ): Promise<number | undefined> => {
    const out = join(folder, `${engine}-${seconds}`);
    const write = `${SWAPCHECK} load export ${url} --engine ${engine} --out ${out} ${flags(seconds)}`;
    if (!existsSync(out)) await run(write);
    return run(line, out);
  };
  const ways = {
    'swapcheck load': cores((seconds) => run(`${SWAPCHECK} load ${url} ${flags(seconds)}`)),
    Locust: cores((seconds) =>
      playExport('locust', `locust --config locust.conf -H ${url}`, seconds),
    ),
    k6: cores((seconds) => playExport('k6', `k6 run --quiet ${K6_LINES} script.js`, seconds)),
  };
  try {
    for (const [name, all] of Object.entries(await takeTurns(ways))) {
      const measured = all.filter((value) => value !== undefined);
      const shown = measured.length === 0 ? 'not installed' : medianOf(measured).toFixed(3);
      printRow(['the reference', `cores at ${CALM_RATE}/s, ${name}, all processes`, shown, '', '']);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

function cores(play: Play): () => Promise<number | undefined> {
  return async () => {
    const short = await play(SHORT_S);
    const long = short === undefined ? undefined : await play(LONG_S);
    return short === undefined || long === undefined
      ? undefined
      : (long - short) / (LONG_S - SHORT_S);
  };
}

const selected = process.argv.slice(2);
const unknown = selected.find((part) => !PARTS.includes(part));
if (unknown !== undefined) {
  throw new Error(`no part '${unknown}', expected ${PARTS.join(', ')}`);
}
const isSelected = (part: string): boolean => selected.length === 0 || selected.includes(part);
const reference = await startBuiltInReference();
const servers: Readonly<Record<string, () => Promise<Subject>>> = {
  bare: startBare,
  reference: async () => ({
    ...{ name: 'the reference', url: reference.url, target: '/api/v1.0/chains?apiKey=' },
  }),
};
try {
  printHead(['server', 'metric', 'ratio', 'goal', 'met']);
  for (const [name, start] of Object.entries(servers)) {
    if (!isSelected(name) && !isSelected('steady')) continue;
    const subject = await start();
    if (isSelected(name)) await benchSaturation(subject);
    await benchSteady(subject);
  }
  if (isSelected('engines')) await printEngines(reference);
} finally {
  stopPrograms();
  await reference.close();
}
