import type { ServerResponse } from 'node:http';
import { chartAssets } from '../../conformance/output/charts.ts';
import { markup } from '../../conformance/output/markup.ts';
import { writePage } from '../../conformance/output/page.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { LoadProgress } from '../model/metrics.ts';
import { createLatestSecond } from './latest-second.ts';
import { type LoopbackServer, serveLoopback } from './loopback-server.ts';

/** A page that shows a run while it is under way. */
export type LivePage = LoopbackServer & {
  readonly update: (progress: LoadProgress) => void;
  /** Shows the verdict; the page stays as it is when the server closes. */
  readonly finish: (result: Pick<LoadResult, 'verdict' | 'reason'>) => void;
};

/** One second of a run: the time since its start, rates per second and milliseconds. */
type Point = {
  readonly atS: number;
  readonly sent: number;
  readonly requested: number | null;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
};

/** Maximum number of seconds that the page shows; earlier ones are dropped. */
const MAX_POINTS = 900;

/**
 * Serves a page on a loopback port, 0 for a free one: rate, latency and errors
 * of each second as it ends, by server-sent events from `/events`.
 *
 * @throws {UsageError} if the port cannot be used
 */
export async function startLivePage(port: number, title: string): Promise<LivePage> {
  const page = pageText(title);
  const watchers = new Set<ServerResponse>();
  const latest = createLatestSecond();
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
      state = { elapsedS, totalS, errors, step };
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
    finish({ verdict, reason }) {
      state = { ...state, verdict, reason };
      send(watchers, { ...state, points: [] });
      for (const response of watchers) response.end();
    },
  };
}

function pageText(title: string): string {
  return writePage({
    title: `live: ${title}`,
    ...chartAssets(import.meta.url, 'live-run'),
    connects: true,
    header: markup`<header><h1>swapcheck load \u00b7 <span class="mono">${title}</span></h1>
<div class="verdict" id="verdict" role="status"><strong>running</strong><span id="reason"></span></div>
<progress id="progress" max="1" value="0" aria-label="Share of the run that is over"></progress>
<div class="tiles">${TILES.map(([id, label]) => markup`<div class="tile"><b id="${id}">\u2013</b><span>${label}</span></div>`)}</div></header>`,
    main: [
      markup`<section aria-labelledby="latencies"><h2 id="latencies">Latency <small>milliseconds in each second</small></h2><div class="chart"><div class="plot" id="latency" role="img" aria-label="Latency over time by percentile"></div></div></section>`,
      markup`<section aria-labelledby="rates"><h2 id="rates">Rate <small>requests per second</small></h2><div class="chart"><div class="plot" id="rate" role="img" aria-label="Requested and sent requests per second over time"></div></div></section>`,
    ],
    footer: markup`Updated every second until the run ends; the reports hold the complete metrics.`,
  });
}

const TILES = [
  ['sent', 'requests per second'],
  ['p50', 'median latency, ms'],
  ['p99', 'p99 latency, ms'],
  ['errors', 'errors'],
] as const;
