import { PLAN_STYLE } from '../drawing/plan-style.ts';
import type { Report } from '../model/report.ts';
import { type Markup, markup, prose } from '../output/markup.ts';
import { writePage } from '../output/page.ts';
import { dustWords } from './amount-words.ts';
import { failureSection } from './html/failure-section.ts';
import { filterForm } from './html/filter-form.ts';
import { REPORT_STYLE } from './html/report-style.ts';
import { ruleSection } from './html/rule-section.ts';
import { SCRIPT } from './html/script.ts';
import { summarySection } from './html/summary-section.ts';
import { drawTimings } from './html/timings-svg.ts';
import { couldNotRun, observations } from './rule-results.ts';

/** Returns the report as one self-contained page; everything a service sent is escaped. */
export function write(report: Report): string {
  return writePage({
    title: `${report.verdict}: ${report.target}`,
    style: PLAN_STYLE + REPORT_STYLE,
    script: SCRIPT,
    header: summarySection(report),
    main: [
      filterForm(report),
      failureSection(report),
      stuckSection(report),
      ruleSection(report),
      silenceSection(report),
      dustSection(report),
      timingSection(report),
    ],
    footer: markup`Written by swapcheck ${report.version}. Run started ${report.startedAt}, seed ${report.seed}.`,
  });
}

function stuckSection(report: Report): Markup {
  const groups = couldNotRun(report);
  if (groups.length === 0) return markup``;
  return markup`<section aria-labelledby="stuck"><h2 id="stuck">Could not run <small>what was not judged, and why</small></h2>
<ul class="notes">${groups.map(({ why, ids }) => markup`<li>${why}: <span class="mono">${ids.join(', ')}</span></li>`)}</ul></section>`;
}

function silenceSection({ rules }: Report): Markup {
  const seen = observations(rules);
  if (seen.length === 0) return markup``;
  return markup`<section class="silence" aria-labelledby="silence"><h2 id="silence">What this service does where the specification is silent</h2>
<div class="scroll"><table><thead><tr><th>Clause</th><th>Question</th><th>What it does</th></tr></thead><tbody>
${seen.map(({ clause, title, observed }) => markup`<tr><td>${clause}</td><td>${prose(title)}</td><td>${prose(observed ?? '')}</td></tr>`)}
</tbody></table></div></section>`;
}

function dustSection({ largestDust: dust, tolerancePpm }: Report): Markup {
  if (dust === undefined) return markup``;
  return markup`<section aria-labelledby="dust"><h2 id="dust">Largest dust</h2>
<p>${dustWords(dust)}, at a token between sell and buy. Up to ${tolerancePpm} parts per million are tolerated.</p></section>`;
}

function timingSection({ timings }: Report): Markup {
  if (timings.length === 0) return markup``;
  return markup`<section aria-labelledby="timings"><h2 id="timings">Reply times <small>by endpoint, logarithmic</small></h2>
<div class="card">${drawTimings(timings)}</div></section>`;
}
