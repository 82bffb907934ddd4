import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, Gauge, Registry } from 'prom-client';
import type { LoadProgress } from '../model/metrics.ts';
import { createLatestSecond } from './latest-second.ts';

/** Figures of a run as Prometheus reads them. */
export type MetricsServer = {
  /** On loopback. */
  readonly url: string;
  readonly update: (progress: LoadProgress) => void;
  readonly close: () => Promise<void>;
};

/**
 * Serves `/metrics` on a loopback port, 0 for a free one: requests and errors
 * by endpoint, rate asked for and reached, and latency of the last second.
 *
 * @throws if the port is in use
 */
export async function startMetricsServer(port: number): Promise<MetricsServer> {
  const registry = new Registry();
  const named = <Label extends string>(name: string, help: string, ...labelNames: Label[]) => ({
    ...{ name: `swapcheck_load_${name}`, help, labelNames, registers: [registry] },
  });
  const requests = new Counter(
    named('requests_total', 'Requests that were answered or lost.', 'endpoint'),
  );
  const errors = new Counter(
    named(
      'errors_total',
      'Requests that were lost, refused wrongly or never sent.',
      'endpoint',
      'kind',
    ),
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
  const progressShare = new Gauge(named('progress_ratio', 'Share of the run that is over.'));
  const latest = createLatestSecond();
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.setHeader('content-type', registry.contentType);
    response.end(await registry.metrics());
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    update(progress) {
      for (const { endpoints } of progress.intervals) {
        for (const [endpoint, figures] of Object.entries(endpoints)) {
          requests.inc({ endpoint }, figures.requests);
          for (const [kind, count] of Object.entries(figures.errors)) {
            errors.inc({ endpoint, kind }, count);
          }
        }
      }
      progressShare.set(Math.min(1, progress.elapsedS / progress.totalS));
      const second = latest(progress);
      if (second === undefined) return;
      const asked = progress.askedIn?.(second.startS, second.startS + 1);
      if (asked !== undefined) rate.set({ kind: 'asked' }, asked);
      rate.set({ kind: 'reached' }, second.sent);
      latency.set({ quantile: '0.5' }, second.p50Ms / 1000);
      latency.set({ quantile: '0.9' }, second.p90Ms / 1000);
      latency.set({ quantile: '0.99' }, second.p99Ms / 1000);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
