import { PLAN_STYLE } from '../drawing/plan-style.ts';
import type { Report } from '../model/report.ts';
import { DOCUMENT_STYLE, documentSections } from '../output/document-page.ts';
import { type Markup, markup } from '../output/markup.ts';
import { writePage } from '../output/page.ts';
import { readSiblingFiles } from '../output/page-style.ts';
import { timingBars } from './html/bars.ts';
import { reportBody, reportHead } from './report-document.ts';
import { rootCausesOf } from './root-causes.ts';
import { formatTarget, outcomeCounts, verdictLabel } from './rule-results.ts';

/**
 * Returns the report as one self-contained page: the document that every format shows, with filters
 * and drawings. All text from a service is escaped.
 */
export function write(report: Report): string {
  const { version, startedAt, seed, tolerancePpm, timings, rules } = report;
  const causes = rootCausesOf(rules);
  return writePage({
    title: `${verdictLabel(report)}: ${formatTarget(report)}`,
    style: PLAN_STYLE + DOCUMENT_STYLE + readSiblingFiles(import.meta.url, 'html/report.css'),
    script: readSiblingFiles(import.meta.url, 'html/report.js'),
    header: markup`<header>${documentSections(reportHead(report, causes))}</header>`,
    main: [
      filterForm(report),
      ...documentSections(reportBody(report, causes)),
      ...(timings.length === 0
        ? []
        : [
            markup`<section><h2>Reply times <small>by endpoint, logarithmic</small></h2><div class="card">${timingBars(report)}</div></section>`,
          ]),
    ],
    footer: markup`Written by swapcheck ${version}. Run started ${startedAt}, seed ${seed}, tolerance ${tolerancePpm} parts per million.`,
  });
}

/**
 * Returns the filters for findings and rules. The script shows the filters and stores their values
 * in the URL.
 */
function filterForm({ rules }: Report): Markup {
  const outcomes = outcomeCounts(rules).map(
    ({ outcome, words }) => markup`<option value="${outcome}">${words}</option>`,
  );
  return markup`<form class="filters" autocomplete="off" hidden>
<input name="text" type="search" placeholder="Search rule, clause, words" aria-label="Search rules">
<select name="verdict" aria-label="Verdict"><option value="">Any verdict</option>${outcomes}</select>
<select name="level" aria-label="Level"><option value="">Any level</option><option>must</option><option>should</option><option>observe</option></select>
<output id="shown" aria-live="polite"></output>
</form>`;
}
