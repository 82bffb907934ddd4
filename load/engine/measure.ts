import { type ChildProcess, fork } from 'node:child_process';
import type { EndpointMetrics, IntervalMetrics } from '../model/metrics.ts';
import type { LoadSample, StartClients } from './client.ts';
import type { FromClient, ToClient } from './client-entry.ts';
import type { ClientOrder, RunResult } from './client-order.ts';
import { createTimeline, mergeEndpoints } from './timeline.ts';

/**
 * A workload for one or more clients. They divide the connections, samples and requests among
 * themselves.
 */
export type MeasureOptions = Omit<ClientOrder, 'share'> & {
  readonly processes: number;
  /**
   * Called with replies to judge, and the number of replies that were omitted because this process
   * had fallen behind.
   */
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
  /** Requests sent again because their idle connection had been closed. */
  readonly sentAgain: number;
  readonly durationMs: number;
  /** Lateness of requests for which a connection was free; the maximum over all processes. */
  readonly clientLag: { readonly p99Ms: number; readonly maxMs: number };
  /** Processor time divided by run time, for each process: 1 is one core. */
  readonly clientCpu: readonly number[];
  /** Client processes that ended without a result. */
  readonly lostProcesses: number;
  readonly aborted: boolean;
};

/** Runs a workload from one or more client processes and returns their merged metrics. */
export async function measure(options: MeasureOptions): Promise<Measurement> {
  const { processes, onSamples, onIntervals, signal, ...rest } = options;
  const { startClients = startClientProcesses, ...order } = rest;
  const timeline = createTimeline();
  const orders = Array.from({ length: processes }, (_, index) => ({
    ...order,
    connections: Math.max(1, divide(order.connections, index, processes)),
    samplesPerSecond: Math.ceil(order.samplesPerSecond / processes),
    share: { index, count: processes },
  }));
  const clients = startClients(orders, (report) => {
    if (report.kind === 'samples') return onSamples(report.samples, report.omitted);
    timeline.add(report.intervals);
    onIntervals(report.intervals);
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

/**
 * Starts each client in a separate process. A client process ends when its work is done or when
 * this process ends.
 */
const startClientProcesses: StartClients = (orders, onReport) => {
  const children: ChildProcess[] = [];
  const waitingFor = new Set<ChildProcess>();
  const sendToAll = (message: ToClient): void => {
    for (const child of children) if (child.connected) child.send(message);
  };
  const settle = (child: ChildProcess): void => {
    if (waitingFor.delete(child) && waitingFor.size === 0) sendToAll('go');
  };
  const results = orders.map(
    (order) =>
      new Promise<RunResult | undefined>((resolve) => {
        const child = fork(ENTRY, { execArgv: EXEC_ARGV, serialization: 'advanced' });
        children.push(child);
        waitingFor.add(child);
        let result: RunResult | undefined;
        child.on('message', (message: FromClient) => {
          if (message.kind === 'result') result = message.result;
          else if (message.kind === 'connected') settle(child);
          else onReport(message);
        });
        const end = (): void => {
          settle(child);
          resolve(result);
        };
        child.on('error', end).on('exit', end);
        child.send(order satisfies ToClient);
      }),
  );
  return { results: Promise.all(results), stop: () => sendToAll('stop') };
};

// The entry is next to this file: TypeScript in a checkout, JavaScript after a build.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const ENTRY = new URL(FROM_SOURCE ? './client-entry.ts' : './client-entry.js', import.meta.url);
const EXEC_ARGV = FROM_SOURCE ? ['--import', 'tsx'] : [];
