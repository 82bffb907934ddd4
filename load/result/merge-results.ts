import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../../conformance/output/usage-error.ts';
import type { Measurement } from '../engine/measure.ts';
import { openStages, totalDurationS } from '../engine/schedule.ts';
import { createTimeline, mergeEndpoints } from '../engine/timeline.ts';
import type { LoadResult } from '../model/load-result.ts';
import type {
  EndpointMetrics,
  IntervalEndpoint,
  IntervalMetrics,
  SampleCount,
} from '../model/metrics.ts';
import { buildResult } from './build-result.ts';
import { mergeSamples } from './sample-judge.ts';

/**
 * Returns the merged result of simultaneous runs of one profile. Counts and percentiles are exact
 * within the resolution of the results' histograms. Metrics over time are summed by time since the
 * start of each run. Thresholds are checked against the sums.
 * @throws {UsageError} for results that cannot be merged
 */
export function mergeResults(files: readonly ResultFile[]): LoadResult {
  checkMergeable(files);
  const results = files.map(({ result }) => result);
  const [first] = results as [LoadResult, ...LoadResult[]];
  const { profile, warmUpS, seed, service } = first;
  const names = [...new Set(results.flatMap(({ endpoints }) => endpoints.map(({ name }) => name)))];
  const samples = mergeSamples(results.map((result) => result.samples));
  const cutShort = files.find(({ result }) => result.verdict === 'incomplete');
  const client = clientOf(results);
  const measurement = measurementOf(results, client, cutShort !== undefined);
  const workload = workloadOf(first, runIdsOf(files).length);
  const merged = buildResult({
    about: {
      ...{ profile, ...(service && { service }) },
      runId: runIdsOf(files).join('+'),
      target: [...new Set(results.map(({ target }) => target))].join(', '),
      startedAt: results.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
      omitted: [...new Set(results.flatMap(({ omitted }) => omitted))],
    },
    names: names.filter((name) => name !== 'all'),
    ...{ seed, workload },
    totalS: workload.model === 'open' ? totalDurationS(workload.stages) : workload.durationS,
    ...{ warmUpS, measurement },
    endedBy: cutShort && `${cutShort.source} is incomplete, ${cutShort.result.reason}`,
    judge: { sampleCount: (endpoint) => sampleCount(samples, endpoint), result: () => samples },
    engine: client.engine,
  });
  return { ...merged, client, parts: partsOf(files) };
}

function workloadOf({ profile: { workload } }: LoadResult, runs: number) {
  if (workload.model !== 'open') {
    const durationS = workload.model === 'closed' ? workload.durationS : workload.stepS;
    return { model: 'closed' as const, durationS };
  }
  const stages = openStages(workload.stages).map(({ durationS, fromRate, toRate }) => ({
    ...{ durationS, fromRate: fromRate * runs, toRate: toRate * runs },
  }));
  return { model: 'open' as const, stages };
}

function measurementOf(
  results: readonly LoadResult[],
  client: LoadResult['client'],
  aborted: boolean,
): Measurement {
  const timeline = createTimeline({
    intervalMs: Math.max(...results.map(({ intervalS }) => intervalS)) * 1000,
  });
  for (const result of results) timeline.add(intervalsOf(result));
  const sum = (of: (result: LoadResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    endpoints: mergeEndpoints(results.map(metricsOf)),
    intervals: timeline.intervals(),
    intervalMs: timeline.intervalMs(),
    sent: sum(({ sent }) => sent),
    sentAgain: sum(({ sentAgain }) => sentAgain),
    durationMs: Math.max(...results.map(({ durationMs }) => durationMs)),
    clientLag: { p99Ms: client.lagP99Ms, maxMs: client.lagMaxMs },
    clientCpu: client.cpu,
    lostProcesses: client.lostProcesses,
    aborted,
  };
}

function metricsOf({ endpoints }: LoadResult): Record<string, EndpointMetrics> {
  const named = endpoints.filter(({ name }) => name !== 'all');
  return Object.fromEntries(
    named.map(({ name, latencyHistogram: latency, serviceHistogram: service, ...metrics }) => [
      name,
      { ...metrics, latency, service },
    ]),
  );
}

function intervalsOf({ series, endpoints, intervalS }: LoadResult): IntervalMetrics[] {
  return series.flatMap(({ startS, sent, lengthS }) => {
    const parts = endpoints.flatMap(({ name, series: own = [] }) => {
      const interval = own.find((each) => each.startS === startS);
      if (interval?.latencyHistogram === undefined) return [];
      const { requests, errors, latencyHistogram: latency } = interval;
      return [
        [name, { requests, errors, statuses: {}, latency } satisfies IntervalEndpoint] as const,
      ];
    });
    const metrics = { startMs: startS * 1000, sent, endpoints: Object.fromEntries(parts) };
    const moment = { startMs: (startS + intervalS) * 1000, sent: 0, endpoints: {} };
    return lengthS > intervalS ? [metrics, moment] : [metrics];
  });
}

/** Omits the time of the first wrong reply, which only findings record. */
function sampleCount(
  { judged, wrong, byEndpoint, findings }: LoadResult['samples'],
  endpoint: string,
): SampleCount {
  if (endpoint !== 'all') return byEndpoint[endpoint] ?? { judged: 0, wrong: 0 };
  const firstWrongS = Math.min(...findings.map(({ firstS }) => firstS));
  return { judged, wrong, ...(findings.length > 0 && { firstWrongS }) };
}

function clientOf(results: readonly LoadResult[]): LoadResult['client'] {
  const clients = results.map(({ client }) => client);
  const engines = clients.flatMap(({ engine }) => engine ?? []);
  const sum = (of: (client: LoadResult['client']) => number) =>
    clients.reduce((total, client) => total + of(client), 0);
  return {
    processes: sum(({ processes }) => processes),
    lostProcesses: sum(({ lostProcesses }) => lostProcesses),
    cpu: clients.flatMap(({ cpu }) => cpu),
    lagP99Ms: Math.max(...clients.map(({ lagP99Ms }) => lagP99Ms)),
    lagMaxMs: Math.max(...clients.map(({ lagMaxMs }) => lagMaxMs)),
    node: [...new Set(clients.map(({ node }) => node))].join(', '),
    cores: sum(({ cores }) => cores),
    ...(engines.length > 0 && { engine: [...new Set(engines)].join(', ') }),
  };
}

function partsOf(files: readonly ResultFile[]): NonNullable<LoadResult['parts']> {
  return files.flatMap(({ source, result }) => {
    const { runId = '', target, startedAt, verdict, endpoints, client } = result;
    const requests = endpoints[0]?.requests ?? 0;
    const { node } = client;
    return result.parts ?? [{ runId, source, target, startedAt, verdict, requests, node }];
  });
}

type ResultFile = { readonly source: string; readonly result: LoadResult };

function checkMergeable(files: readonly ResultFile[]): void {
  const [first, ...others] = files;
  if (first === undefined || others.length === 0) {
    throw new UsageError(`${files.length} result: expected two or more to merge`);
  }
  for (const file of files) checkComplete(file);
  for (const other of others) checkProfile(first, other);
  checkRuns(files);
  checkTimes(files);
}

function runIdsOf(files: readonly ResultFile[]): readonly string[] {
  return files.flatMap(({ result }) => runsIn(result));
}

function runsIn({ runId = '', parts }: LoadResult): readonly string[] {
  return parts?.map((part) => part.runId) ?? [runId];
}

function checkComplete({ source, result }: ResultFile): void {
  const { breakpoint, profile, sent } = result;
  if (breakpoint !== undefined || profile.workload.model === 'breakpoint') {
    throw new UsageError(`${source} is the result of a search, which cannot be merged`);
  }
  if (sent === 0) {
    throw new UsageError(`${source} contains no metrics (${result.reason})`);
  }
}

function checkProfile(first: ResultFile, other: ResultFile): void {
  const [one, two] = [first.result.profile, other.result.profile];
  const names = Object.keys({ ...one, ...two }) as (keyof typeof one)[];
  const differs = names.find((name) => !isDeepStrictEqual(one[name], two[name]));
  if (differs === undefined) return;
  const [shownOne, shownTwo] = [one[differs], two[differs]].map((value) => JSON.stringify(value));
  throw new UsageError(
    `the profile of ${other.source} differs from that of ${first.source}: ${differs} is ${shownTwo}, not ${shownOne}`,
  );
}

function checkRuns(files: readonly ResultFile[]): void {
  const seen = new Map<string, string>();
  for (const { source, result } of files) {
    for (const runId of runsIn(result)) {
      const earlier = seen.get(runId);
      if (earlier !== undefined) {
        throw new UsageError(
          `${source} contains the run ${runId}, and so does ${earlier}: pass each run once`,
        );
      }
      seen.set(runId, source);
    }
  }
}

/** The loads of several runs add up only if the runs overlapped in time. */
function checkTimes(files: readonly ResultFile[]): void {
  const times = files.map(({ source, result }) => {
    const fromMs = Date.parse(result.startedAt);
    return { source, fromMs, toMs: fromMs + result.durationMs };
  });
  const last = times.reduce((a, b) => (b.fromMs > a.fromMs ? b : a));
  const over = times.find(({ toMs }) => toMs < last.fromMs);
  if (over === undefined) return;
  const seconds = Math.ceil((last.fromMs - over.toMs) / 1000);
  throw new UsageError(
    `${last.source} began ${seconds} s after ${over.source} had ended: results can be merged only if the runs overlap in time`,
  );
}
