import { Counter, Gauge, Registry } from 'prom-client';
import type { LoadProgress } from '../model/metrics.ts';
import { createLatestSecond } from './latest-second.ts';
import { type LoopbackServer, serveLoopback } from './loopback-server.ts';

/** A server of a run's metrics as Prometheus text. */
export type MetricsServer = LoopbackServer & {
  readonly update: (progress: LoadProgress) => void;
};

/**
 * Serves `/metrics` on a loopback port; port 0 selects a free port. The metrics are requests and
 * errors by endpoint, and the requested rate, the achieved rate and the latency of the last second.
 * @throws {UsageError} if the port cannot be used
 */
export async function startMetricsServer(port: number): Promise<MetricsServer> {
  const registry = new Registry();
  const named = <Label extends string>(name: string, help: string, ...labelNames: Label[]) => ({
    ...{ name: `swapcheck_load_${name}`, help, labelNames, registers: [registry] },
  });
  const requests = new Counter(
    named('requests_total', 'Requests that received a reply or were lost.', 'endpoint'),
  );
  const errors = new Counter(
    named('errors_total', 'Requests that failed or were never sent.', 'endpoint', 'kind'),
  );
  const rate = new Gauge(
    named('rate', 'Requests that were due and requests that were sent in the last second.', 'kind'),
  );
  const latency = new Gauge(
    named(
      'latency_seconds',
      'Latency in the last second, from when a request was due.',
      'quantile',
    ),
  );
  const progressShare = new Gauge(named('progress_ratio', 'Completed share of the run.'));
  const latest = createLatestSecond();
  const server = await serveLoopback(port, '--metrics', async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', registry.contentType);
    response.end(await registry.metrics());
  });
  return {
    url: `${server.url}/metrics`,
    close: server.close,
    update(progress) {
      for (const { endpoints } of progress.intervals) {
        for (const [endpoint, metrics] of Object.entries(endpoints)) {
          requests.inc({ endpoint }, metrics.requests);
          for (const [kind, count] of Object.entries(metrics.errors)) {
            errors.inc({ endpoint, kind }, count);
          }
        }
      }
      progressShare.set(Math.min(1, progress.elapsedS / progress.totalS));
      const { second } = latest(progress);
      if (second === undefined) return;
      const requested = progress.requestedRate?.(second.startS, second.startS + 1);
      if (requested !== undefined) rate.set({ kind: 'requested' }, requested);
      rate.set({ kind: 'sent' }, second.sent);
      latency.set({ quantile: '0.5' }, second.p50Ms / 1000);
      latency.set({ quantile: '0.9' }, second.p90Ms / 1000);
      latency.set({ quantile: '0.99' }, second.p99Ms / 1000);
    },
  };
}
