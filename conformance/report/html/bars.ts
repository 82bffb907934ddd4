import { counted } from '../../contract/counted.ts';
import { shorten } from '../../contract/cut-text.ts';
import type { Report } from '../../model/report.ts';
import { OWN_CLAUSE } from '../../model/rule.ts';
import { type Markup, markup } from '../../output/markup.ts';
import { outcomeCounts } from '../rule-results.ts';
import { formatMilliseconds } from '../run-notes.ts';

const LEVELS = {
  must: 'Must: stated in the specification',
  should: 'Should: follows from the specification',
  observe: 'Observe: left open by the specification',
} as const;

/** Returns a card for each level, with a bar that shows the outcomes of its rules. */
export function levelCards({ rules }: Report): Markup {
  const cards = Object.entries(LEVELS).map(([level, name]) => {
    const members = rules.filter((rule) => rule.level === level && rule.clause !== OWN_CLAUSE);
    const counts = outcomeCounts(members);
    let left = 0;
    const bars = counts.map(({ outcome, count }) => {
      const x = left;
      left += (count / members.length) * 100;
      return markup`<rect class="${outcome}" x="${x}%" width="${left - x}%" height="8"/>`;
    });
    const words = counts.map((each) => each.words).join(' · ') || 'no rules';
    return markup`<div class="card"><b>${name}</b><svg class="meter" aria-hidden="true">${bars}</svg><p>${words}</p></div>`;
  });
  return markup`<div class="levels">${cards}</div>`;
}

const WIDTH = 360;
const ROW = 58;
const LEFT = 84;
const RIGHT = 76;

/** Returns bars for the reply times of each endpoint, on a logarithmic scale. */
export function timingBars({ timings }: Report): Markup {
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
  return markup`<g><title>${endpoint}: ${counted(requests, 'request')}</title>
<text class="endpoint" x="0" y="${top + 24}">${shorten(endpoint, 11)}</text><text class="requests" x="0" y="${top + 40}">${requests}</text>
${bars.map(({ name, ms }, at) => {
  const y = top + 6 + at * 16;
  return markup`<rect class="bar ${name}" x="${LEFT}" y="${y}" width="${Math.round(scale(ms))}" height="12" rx="2"/><text class="value" x="${LEFT + Math.round(scale(ms)) + 6}" y="${y + 10}">${name} ${formatMilliseconds(ms)}</text>`;
})}</g>`;
}
