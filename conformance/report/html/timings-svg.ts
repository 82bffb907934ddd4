import { clip } from '../../drawing/amount-text.ts';
import type { Report } from '../../model/report.ts';
import { type Markup, markup } from '../../output/markup.ts';

const WIDTH = 360;
const ROW = 58;
const LEFT = 84;
const RIGHT = 76;

/** Returns a bar chart of the median, 99th percentile and slowest reply of each endpoint, on a logarithmic scale. */
export function drawTimings(timings: Report['timings']): Markup {
  const slowest = Math.max(1, ...timings.map(({ maxMs }) => maxMs));
  const scale = (ms: number) =>
    Math.max(2, (Math.log10(1 + 10 * ms) / Math.log10(1 + 10 * slowest)) * (WIDTH - LEFT - RIGHT));
  const height = timings.length * ROW + 4;
  return markup`<svg class="timings" role="img" aria-label="Reply times by endpoint" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
${timings.map((timing, at) => drawRow(timing, at * ROW, scale))}
</svg>`;
}

function drawRow(
  { endpoint, requests, p50Ms, p99Ms, maxMs }: Report['timings'][number],
  top: number,
  scale: (ms: number) => number,
): Markup {
  const bars = [
    { name: 'p50', ms: p50Ms },
    { name: 'p99', ms: p99Ms },
    { name: 'max', ms: maxMs },
  ];
  return markup`<g><title>${endpoint}: ${requests} requests</title>
<text class="endpoint" x="0" y="${top + 24}">${clip(endpoint, 11)}</text><text class="requests" x="0" y="${top + 40}">${requests}</text>
${bars.map(({ name, ms }, at) => {
  const y = top + 6 + at * 16;
  return markup`<rect class="bar ${name}" x="${LEFT}" y="${y}" width="${Math.round(scale(ms))}" height="12" rx="2"/><text class="value" x="${LEFT + Math.round(scale(ms)) + 6}" y="${y + 10}">${name} ${milliseconds(ms)}</text>`;
})}</g>`;
}

function milliseconds(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? Math.round(ms) : Math.round(ms * 10) / 10} ms`;
}
