import { counted } from '../contract/counted.ts';
import { shorten } from '../contract/cut-text.ts';
import { PLAN_STYLE } from '../drawing/plan-style.ts';
import type { Report } from '../model/report.ts';
import { DOCUMENT_STYLE } from '../output/document-page.ts';
import { type Markup, markup, prose } from '../output/markup.ts';
import { writePage } from '../output/page.ts';
import { readSiblingFiles } from '../output/page-style.ts';
import { failureSection } from './html/failure-section.ts';
import { filterForm, ruleSection } from './html/rule-section.ts';
import { summarySection } from './html/summary-section.ts';
import {
  couldNotRun,
  describeObserved,
  formatTarget,
  observations,
  verdictLabel,
} from './rule-results.ts';
import { describeDust, formatMilliseconds } from './run-notes.ts';

/** Returns the report as one self-contained page. All text from a service is escaped. */
export function write(report: Report): string {
  return writePage({
    title: `${verdictLabel(report)}: ${formatTarget(report)}`,
    style: PLAN_STYLE + DOCUMENT_STYLE + readSiblingFiles(import.meta.url, 'html/report.css'),
    script: readSiblingFiles(import.meta.url, 'html/report.js'),
    header: summarySection(report),
    main: [
      filterForm(report),
      failureSection(report),
      couldNotRunSection(report),
      ruleSection(report),
      silenceSection(report),
      dustSection(report),
      timingSection(report),
    ],
    footer: markup`Written by swapcheck ${report.version}. Run started ${report.startedAt}, seed ${report.seed}.`,
  });
}

function couldNotRunSection(report: Report): Markup {
  const groups = couldNotRun(report);
  if (groups.length === 0) return markup``;
  return markup`<section aria-labelledby="stuck"><h2 id="stuck">Could not run <small>what was not judged, and why</small></h2>
<ul class="notes">${groups.map(({ why, rules }) => markup`<li>${why}: <span class="mono">${rules.join(', ')}</span></li>`)}</ul></section>`;
}

function silenceSection({ rules }: Report): Markup {
  const seen = observations(rules);
  if (seen.length === 0) return markup``;
  return markup`<section class="silence" aria-labelledby="silence"><h2 id="silence">What this service does where the specification is silent</h2>
<div class="scroll"><table><thead><tr><th>Clause</th><th>Question</th><th>What it does</th></tr></thead><tbody>
${seen.map((rule) => markup`<tr><td>${rule.clause}</td><td>${prose(rule.title)}</td><td>${prose(describeObserved(rule) ?? '')}</td></tr>`)}
</tbody></table></div></section>`;
}

function dustSection({ largestDust: dust, tolerancePpm }: Report): Markup {
  if (dust === undefined) return markup``;
  return markup`<section aria-labelledby="dust"><h2 id="dust">Largest dust</h2>
<p>${describeDust(dust)}, at a token between sell and buy. Up to ${tolerancePpm} parts per million are tolerated.</p></section>`;
}

function timingSection({ timings }: Report): Markup {
  if (timings.length === 0) return markup``;
  return markup`<section aria-labelledby="timings"><h2 id="timings">Reply times <small>by endpoint, logarithmic</small></h2>
<div class="card">${drawTimings(timings)}</div></section>`;
}

const WIDTH = 360;
const ROW = 58;
const LEFT = 84;
const RIGHT = 76;

function drawTimings(timings: Report['timings']): Markup {
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
