import type { ServerResponse } from 'node:http';
import { chartAssets } from '../../conformance/output/charts.ts';
import { type Markup, markup } from '../../conformance/output/markup.ts';
import { writePage } from '../../conformance/output/page.ts';
import { formatCount, formatMs } from '../../conformance/output/units.ts';
import type { LoadResult, RunInterval } from '../model/load-result.ts';
import { failuresOf, type LoadProgress } from '../model/metrics.ts';
import type { Threshold } from '../model/profile.ts';
import { formatThreshold } from '../thresholds/describe-threshold.ts';
import { createLatestSecond } from './latest-second.ts';
import { type LoopbackServer, serveLoopback } from './loopback-server.ts';
import { createMetricsSoFar, type MetricsSoFar } from './metrics-so-far.ts';

/** Page that shows a run in progress. */
export type LivePage = LoopbackServer & {
  readonly update: (progress: LoadProgress) => void;
  /**
   * Shows the verdict, the last seconds and the final metrics. The page does not change when the
   * server closes.
   */
  readonly finish: (result: LoadResult) => void;
};

type Point = {
  readonly atS: number;
  readonly sent: number;
  readonly requested: number | null;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
};

const MAX_POINTS = 900;

/**
 * Serves a page on a loopback port; port 0 selects a free port. Server-sent events from `/events`
 * contain the rate and latency of each second, and the thresholds, endpoints and errors of the run
 * so far.
 * @throws {UsageError} if the port cannot be used
 */
export async function startLivePage(
  port: number,
  { title, thresholds }: { readonly title: string; readonly thresholds: readonly Threshold[] },
): Promise<LivePage> {
  const page = pageHtml(title, thresholds);
  const watchers = new Set<ServerResponse>();
  const latest = createLatestSecond();
  const soFar = createMetricsSoFar(thresholds);
  const points: Point[] = [];
  let state: object = {};
  const send = (to: Iterable<ServerResponse>, message: object): void => {
    const event = `data: ${JSON.stringify(message)}\n\n`;
    for (const response of to) response.write(event);
  };
  const server = await serveLoopback(port, '--live', (request, response) => {
    if (request.url === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(page);
    } else if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      watchers.add(response);
      response.on('close', () => watchers.delete(response));
      send([response], { ...state, points });
    } else response.writeHead(404).end();
  });
  return {
    ...server,
    update(progress) {
      const { elapsedS, totalS, requestedRate, step } = progress;
      const { errors, second } = latest(progress);
      state = { elapsedS, totalS, errors, step, ...tableRows(soFar(progress)) };
      const isNew = second !== undefined && !(second.startS <= (points.at(-1)?.atS ?? -1));
      // Each run of a search starts at second 0.
      if (second !== undefined && second.startS < (points.at(-1)?.atS ?? 0)) points.length = 0;
      const added: Point[] = [];
      if (second !== undefined && (isNew || points.length === 0)) {
        const { startS: atS, sent, p50Ms: p50, p90Ms: p90, p99Ms: p99 } = second;
        added.push({ atS, sent, requested: requestedRate?.(atS, atS + 1) ?? null, p50, p90, p99 });
        points.push(...added);
        if (points.length > MAX_POINTS) points.shift();
      }
      send(watchers, { ...state, points: added });
    },
    finish(result) {
      const { verdict, reason, series } = result;
      points.splice(0, points.length, ...series.slice(-MAX_POINTS).map(pointOf));
      const rows = tableRows({
        thresholds: result.thresholds,
        endpoints: result.endpoints.map((endpoint) => ({
          ...endpoint,
          failures: failuresOf(
            Object.fromEntries(
              result.endpoints
                .filter(({ name }) =>
                  endpoint.name === 'all' ? name !== 'all' : name === endpoint.name,
                )
                .map((each) => [each.name, each]),
            ),
          ),
        })),
      });
      state = { ...state, ...(series.length > 0 && rows), verdict, reason };
      send(watchers, { ...state, isComplete: true, points });
      for (const response of watchers) response.end();
    },
  };
}

function pointOf({ startS, reached, requested, p50, p90, p99 }: RunInterval): Point {
  return { atS: startS, sent: Math.round(reached), requested: requested ?? null, p50, p90, p99 };
}

function tableRows({ endpoints, thresholds }: MetricsSoFar) {
  const [all] = endpoints;
  return {
    thresholds: thresholds.map((threshold) => {
      const { name, bound, actual } = formatThreshold(threshold);
      const crossed = threshold.actual === undefined ? 'not measured' : 'crossed';
      return [threshold.held ? 'held' : crossed, name, bound, actual];
    }),
    endpoints: endpoints.map(({ name, requests, failures, latencyMs: { p50, p90, p99, max } }) => [
      name,
      formatCount(requests),
      formatCount(failures.reduce((sum, [, count]) => sum + count, 0)),
      ...[p50, p90, p99, max].map(formatMs),
    ]),
    failures: (all?.failures ?? []).map(([cause]) => [
      cause,
      ...endpoints.slice(0, 1).map(({ failures }) => countOf(failures, cause)),
      endpoints
        .slice(1)
        .filter(({ failures }) => failures.some(([each]) => each === cause))
        .map(({ name, failures }) => `${name}: ${countOf(failures, cause)}`)
        .join(', '),
    ]),
  };
}

function countOf(failures: readonly (readonly [string, number])[], cause: string): string {
  return formatCount(failures.find(([each]) => each === cause)?.[1] ?? 0);
}

function pageHtml(title: string, thresholds: readonly Threshold[]): string {
  const bounds = thresholds.flatMap(({ metric, endpoint = 'all', max }) =>
    endpoint === 'all' && max !== undefined && /^p(50|90|99)$/.test(metric)
      ? [{ name: metric, ms: max }]
      : [],
  );
  return writePage({
    title: `live: ${title}`,
    ...chartAssets(import.meta.url, 'live-run'),
    connects: true,
    data: { bounds },
    header: markup`<header><h1>swapcheck load \u00b7 <span class="mono">${title}</span></h1>
<div class="verdict" id="verdict" role="status"><strong>running</strong><span id="reason"></span></div>
<progress id="progress" max="1" value="0" aria-label="Completed share of the run"></progress>
<div class="tiles">${TILES.map(([id, label]) => markup`<div class="tile"><b id="${id}">\u2013</b><span>${label}</span></div>`)}</div></header>`,
    main: [
      tableSection('thresholds', 'Thresholds', ['Outcome', 'Metric', 'Bound', 'So far']),
      markup`<section aria-labelledby="latencies"><h2 id="latencies">Latency <small>milliseconds in each second</small></h2><div class="chart"><div class="plot" id="latency" role="img" aria-label="Latency over time by percentile"></div></div></section>`,
      markup`<section aria-labelledby="rates"><h2 id="rates">Rate <small>requests per second</small></h2><div class="chart"><div class="plot" id="rate" role="img" aria-label="Requested and sent requests per second over time"></div></div></section>`,
      tableSection('failures', 'Errors', ['Cause', 'Requests', 'Endpoints']),
      tableSection('endpoints', 'Endpoints', ['Endpoint', 'Requests', 'Errors', ...LATENCIES]),
    ],
    footer: markup`Updated every second until the run ends; the reports contain the complete metrics.`,
  });
}

const LATENCIES = ['p50 ms', 'p90 ms', 'p99 ms', 'max ms'];

function tableSection(id: string, title: string, columns: readonly string[]): Markup {
  return markup`<section aria-labelledby="${id}-title" id="${id}" hidden><h2 id="${id}-title">${title} <small>so far, without the warm-up</small></h2>
<div class="scroll"><table class="metrics"><thead><tr>${columns.map((name) => markup`<th>${name}</th>`)}</tr></thead><tbody></tbody></table></div></section>`;
}

const TILES = [
  ['sent', 'requests per second'],
  ['p50', 'median latency, ms'],
  ['p99', 'p99 latency, ms'],
  ['errors', 'errors'],
] as const;
