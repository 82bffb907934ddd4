import type { RequestMix } from '../mix/request-mix.ts';
import type { EndpointMetrics, IntervalMetrics } from '../model/metrics.ts';
import type { LoadSample, StartClients } from './client.ts';
import { startClientProcesses } from './client-processes.ts';
import type { ConnectOptions } from './connection.ts';
import type { Workload } from './schedule.ts';
import { createTimeline, mergeEndpoints } from './timeline.ts';

/** Options of {@link measure}. */
export type MeasureOptions = {
  readonly origin: URL;
  readonly connectOptions?: ConnectOptions | undefined;
  readonly workload: Workload;
  /** Total, divided among the processes. */
  readonly connections: number;
  readonly processes: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly mix: RequestMix;
  /** API key of every request. Default: empty. */
  readonly apiKey?: string;
  /** Maximum replies per second that are passed to `onSamples`, over all processes. Default 100. */
  readonly samplesPerSecond?: number | undefined;
  /** Called with replies to judge, and the number of replies that were omitted because this process had fallen behind. */
  readonly onSamples: (samples: readonly LoadSample[], omitted: number) => void;
  readonly onIntervals: (intervals: readonly IntervalMetrics[]) => void;
  readonly signal?: AbortSignal;
  /** Starts the clients. Default: a separate process for each. */
  readonly startClients?: StartClients | undefined;
};

/** Combined metrics of all processes. */
export type Measurement = {
  readonly endpoints: Readonly<Record<string, EndpointMetrics>>;
  readonly intervals: readonly IntervalMetrics[];
  readonly intervalMs: number;
  readonly sent: number;
  /** Of those, requests that were sent again on another connection because theirs was closed while idle. */
  readonly sentAgain: number;
  readonly durationMs: number;
  /** Lateness of requests although a connection was free, of the worst process. */
  readonly clientLag: { readonly p99Ms: number; readonly maxMs: number };
  /** Processor time over run time, by process: 1 is one core. */
  readonly clientCpu: readonly number[];
  /** Client processes that ended without a result. */
  readonly lostProcesses: number;
  readonly aborted: boolean;
};

/** Runs a workload from one or more client processes and returns their merged metrics. */
export async function measure(options: MeasureOptions): Promise<Measurement> {
  const { signal, processes } = options;
  const timeline = createTimeline();
  const orders = Array.from({ length: processes }, (_, index) => ({
    origin: options.origin.href,
    connectOptions: options.connectOptions,
    workload: options.workload,
    connections: Math.max(1, divide(options.connections, index, processes)),
    timeoutMs: options.timeoutMs,
    warmUpS: options.warmUpS,
    share: { index, count: processes },
    samplesPerSecond: Math.ceil((options.samplesPerSecond ?? 100) / processes),
    mix: options.mix,
    apiKey: options.apiKey ?? '',
  }));
  const start = options.startClients ?? startClientProcesses;
  const clients = start(orders, (report) => {
    if (report.kind === 'samples') return options.onSamples(report.samples, report.omitted);
    timeline.add(report.intervals);
    options.onIntervals(report.intervals);
  });
  signal?.addEventListener('abort', clients.stop);
  if (signal?.aborted) clients.stop();
  const all = await clients.results;
  signal?.removeEventListener('abort', clients.stop);
  const results = all.filter((result) => result !== undefined);
  return {
    endpoints: mergeEndpoints(results.map(({ endpoints }) => endpoints)),
    intervals: timeline.intervals(),
    intervalMs: timeline.intervalMs(),
    sent: results.reduce((sum, { sent }) => sum + sent, 0),
    sentAgain: results.reduce((sum, { sentAgain }) => sum + sentAgain, 0),
    durationMs: Math.max(0, ...results.map(({ durationMs }) => durationMs)),
    clientLag: {
      p99Ms: Math.max(0, ...results.map(({ clientLag }) => clientLag.p99Ms)),
      maxMs: Math.max(0, ...results.map(({ clientLag }) => clientLag.maxMs)),
    },
    clientCpu: results.map(({ cpu }) => cpu),
    lostProcesses: all.length - results.length,
    aborted: results.some(({ aborted }) => aborted),
  };
}

function divide(total: number, index: number, parts: number): number {
  return Math.floor(total / parts) + (index < total % parts ? 1 : 0);
}
