import { fork } from 'node:child_process';
import type { Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import type { Histogram } from 'hdr-histogram-js';
import { sampleMix } from '../mix/sample-mix.testing.ts';
import { decodeAll } from '../model/histogram.ts';
import type { EndpointMetrics } from '../model/metrics.ts';
import type { ClientOrder, RunHooks, RunResult } from './client-order.ts';
import { type Platform, runOpen } from './open-model.ts';
import type { Stage } from './schedule.ts';

const closers: (() => void)[] = [];

/** Closes every server that a test has started. */
export function closeServers(): void {
  for (const close of closers.splice(0)) close();
}

/** Listens on a free loopback port until {@link closeServers}. */
export async function listen(server: Server | TcpServer): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/**
 * Starts the stalling server in a separate process, so that its stall does not stop the client.
 * `heldMs` returns how long the server held each request.
 */
export async function startStallingServer(): Promise<{
  readonly origin: URL;
  readonly heldMs: () => Promise<readonly number[]>;
}> {
  const child = fork(new URL('./stalling-server.testing.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
  });
  closers.push(() => child.kill());
  const receive = <Message>() =>
    new Promise<Message>((resolve) =>
      child.once('message', (message: Message) => resolve(message)),
    );
  const port = await receive<number>();
  return {
    origin: new URL(`http://127.0.0.1:${port}`),
    heldMs() {
      child.send('held');
      return receive<readonly number[]>();
    },
  };
}

/** A client's order with stages instead of a workload, plus the hooks of its run. */
export type TestRun = Omit<ClientOrder, 'workload'> &
  RunHooks & { readonly stages: readonly Stage[] };

/** A run of 2 s at 200/s to one target, with a timeout long enough for a busy machine. */
export const SHORT_RUN: TestRun = {
  origin: 'http://127.0.0.1',
  stages: [{ durationS: 2, fromRate: 200, toRate: 200 }],
  connections: 50,
  timeoutMs: 60_000,
  warmUpS: 0,
  mix: sampleMix,
  apiKey: '',
  share: { index: 0, count: 1 },
  samplesPerSecond: 0,
  requestAt: () => ({ endpoint: 'swap', target: '/', expect: 'success' }),
  onSample: () => {},
  onIntervals: () => {},
};

/** Returns the stages of a constant rate. */
export function constantRate(rate: number, durationS: number): TestRun['stages'] {
  return [{ durationS, fromRate: rate, toRate: rate }];
}

/** Runs an open workload on a service. `options` override {@link SHORT_RUN}. */
export function run(
  origin: URL,
  options: Partial<TestRun>,
  platform?: Platform,
): Promise<RunResult> {
  const all = { ...SHORT_RUN, origin: origin.href, ...options };
  return runOpen({ ...all, workload: { model: 'open', stages: all.stages } }, all, platform);
}

/** Returns the metrics of the only endpoint of {@link run}. */
export function metricsOf(
  result: RunResult,
): Omit<EndpointMetrics, 'service'> & { hdr: Histogram; service: Histogram } {
  const swap = result.endpoints['swap'] as EndpointMetrics;
  const [hdr, service] = [decodeAll([swap.latency]), decodeAll([swap.service])];
  return { ...swap, hdr, service };
}
