import { availableParallelism } from 'node:os';
import type { RequestMix } from '../mix/request-mix.ts';
import type { EndpointFigures, IntervalFigures } from '../model/figures.ts';
import type { Workload } from './arrivals.ts';
import type { LoadSample, StartClients } from './client.ts';
import { startClientProcesses } from './client-processes.ts';
import type { JudgeOrder, Told } from './judge-pool.ts';
import { createTimeline, mergeEndpoints } from './timeline.ts';

/** What to measure. */
export type MeasureOptions = {
  readonly origin: URL;
  readonly workload: Workload;
  /** In all, divided among the processes. */
  readonly connections: number;
  readonly processes: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly mix: RequestMix;
  /** Goes into every request. Default: an empty key. */
  readonly apiKey?: string;
  /** Replies a second that are handed to `onSample`, over all processes. Default 100. */
  readonly samplesPerSecond?: number;
  /** Judges every reply in threads beside the clients, and hands none to `onSample`. */
  readonly judging?: Omit<JudgeOrder, 'threads'> | undefined;
  readonly onSample: (sample: LoadSample) => void;
  readonly onJudged?: ((told: Told) => void) | undefined;
  readonly onIntervals: (intervals: readonly IntervalFigures[]) => void;
  readonly signal?: AbortSignal;
  /** Default: a process each. */
  readonly startClients?: StartClients | undefined;
};

/** What all processes measured together. */
export type Measurement = {
  readonly endpoints: Readonly<Record<string, EndpointFigures>>;
  readonly intervals: readonly IntervalFigures[];
  readonly intervalMs: number;
  readonly sent: number;
  /** Of them, those that went out again on another connection, since theirs was closed while it lay idle. */
  readonly sentAgain: number;
  readonly durationMs: number;
  /** The worst of the processes: how late requests went out although a connection was free. */
  readonly clientLag: { readonly p99Ms: number; readonly maxMs: number };
  /** Processor time over run time, a process each: 1 is one core. */
  readonly clientCpu: readonly number[];
  /** Client processes that ended without a result. */
  readonly lostProcesses: number;
  readonly aborted: boolean;
};

/** Plays a workload from one or more client processes and returns their figures merged. */
export async function measure(options: MeasureOptions): Promise<Measurement> {
  const { signal, processes } = options;
  const timeline = createTimeline();
  const orders = Array.from({ length: processes }, (_, index) => ({
    origin: options.origin.href,
    workload: options.workload,
    connections: Math.max(1, divide(options.connections, index, processes)),
    timeoutMs: options.timeoutMs,
    warmUpS: options.warmUpS,
    share: { index, count: processes },
    samplesPerSecond: Math.ceil((options.samplesPerSecond ?? 100) / processes),
    judging: options.judging && { ...options.judging, threads: judgesBeside(processes) },
    mix: options.mix,
    apiKey: options.apiKey ?? '',
  }));
  const start = options.startClients ?? startClientProcesses;
  const clients = start(orders, (report) => {
    if (report.kind === 'sample') return options.onSample(report);
    if (report.kind === 'judged') return options.onJudged?.(report);
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

/** The cores that the clients leave, divided among them: one judge each at least. */
function judgesBeside(processes: number): number {
  return Math.max(1, Math.floor((availableParallelism() - processes) / processes));
}

function divide(total: number, index: number, parts: number): number {
  return Math.floor(total / parts) + (index < total % parts ? 1 : 0);
}
