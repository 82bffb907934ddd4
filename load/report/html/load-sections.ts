import { type Markup, markup, markupLines } from '../../../conformance/output/markup.ts';
import { formatCount, formatMs } from '../../../conformance/output/units.ts';
import type { LoadResult, ThresholdResult } from '../../model/load-result.ts';
import { writeProfile } from '../../profiles/write-profile.ts';
import { describeExcess, formatThreshold } from '../../thresholds/describe-threshold.ts';
import {
  clientLine,
  judgedLine,
  partLines,
  rateLine,
  sentAgainLine,
  serviceLine,
} from '../describe-run.ts';

export function thresholdSection({ thresholds }: LoadResult): Markup {
  if (thresholds.length === 0) return markup``;
  const rows = thresholds.map((threshold) => {
    const { name, bound, actual } = formatThreshold(threshold);
    const why =
      threshold.held || threshold.actual === undefined
        ? markup``
        : markup`<span class="why">${describeExcess(threshold)}</span>`;
    return markup`<tr><td>${chip(threshold)}</td><td>${name}${why}</td><td data-label="bound">${bound}</td><td data-label="measured">${actual}${boundMeter(threshold)}</td></tr>`;
  });
  return markup`<section aria-labelledby="thresholds"><h2 id="thresholds">Thresholds</h2>
<div class="scroll"><table><thead><tr><th>Outcome</th><th>Metric</th><th>Bound</th><th>Measured</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function chip({ held, actual }: ThresholdResult): Markup {
  if (held) return markup`<span class="chip pass">held</span>`;
  return actual === undefined
    ? markup`<span class="chip could-not-run">not measured</span>`
    : markup`<span class="chip fail">crossed</span>`;
}

function boundMeter({ held, actual, max }: ThresholdResult): Markup {
  if (actual === undefined || max === undefined || max === 0) return markup``;
  const width = Math.min(100, (100 * actual) / max).toFixed(1);
  return markup`<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="not-applicable" width="100" height="8"/><rect class="${held ? 'pass' : 'fail'}" width="${width}" height="8"/></svg>`;
}

/** Returns the replies that broke a rule under load. */
export function wrongSection({ samples }: LoadResult): Markup {
  if (samples.findings.length === 0) return markup``;
  const findings = samples.findings.map(
    ({ rule, clause, expected, actual, target, status, excerpt, count, firstS }) =>
      markup`<details class="failure" open><summary><b>${rule}</b><span class="mono">${clause}</span><span class="count">${count} of ${samples.judged} judged, first at ${firstS} s</span></summary>
<div class="parts"><dl><dt>Expected</dt><dd class="expected">${expected}</dd><dt>Actual</dt><dd class="actual">${actual}</dd><dt>Request</dt><dd class="mono">${target}</dd><dt>Reply</dt><dd><pre tabindex="0">HTTP ${status}: ${excerpt}</pre></dd></dl></div></details>`,
  );
  return markup`<section aria-labelledby="wrong"><h2 id="wrong">Wrong replies <small>among the replies that the rules judged</small></h2>${findings}</section>`;
}

export function searchSection({ breakpoint }: LoadResult): Markup {
  if (breakpoint === undefined || breakpoint.steps.length === 0) return markup``;
  const chips = { held: 'pass', crossed: 'fail', invalid: 'could-not-run' };
  const rows = breakpoint.steps.map(
    ({ rate, reached, outcome, p50, p99, errors, reasons }) =>
      markup`<tr><td><span class="chip ${chips[outcome]}">${outcome}</span></td><td class="number" data-label="rate">${formatCount(rate)}/s</td><td class="number" data-label="reached">${reached.toFixed(1)}/s</td><td class="number" data-label="p50 ms">${formatMs(p50)}</td><td class="number" data-label="p99 ms">${formatMs(p99)}</td><td class="number" data-label="errors">${formatCount(errors)}</td><td>${reasons.join('; ')}</td></tr>`,
  );
  return markup`<section aria-labelledby="steps"><h2 id="steps">Rates tried <small>milliseconds by requests per second; the rest of this page shows the highest rate that held</small></h2>
<div class="chart"><div class="plot" id="search" role="img" aria-label="Latency by rate, in the table below"></div></div>
<details class="steps"${breakpoint.steps.length > MAX_OPEN_STEPS ? markup`` : markup` open`}><summary>All ${breakpoint.steps.length} runs of the search</summary><div class="scroll"><table><thead><tr><th>Outcome</th><th class="number">Rate</th><th class="number">Reached</th><th class="number">p50 ms</th><th class="number">p99 ms</th><th class="number">Errors</th><th>Why not</th></tr></thead><tbody>${rows}</tbody></table></div></details></section>`;
}

const MAX_OPEN_STEPS = 8;

/**
 * Returns the conditions of the client and the service, the kinds of requests that were not
 * measured, and how to repeat the run.
 */
export function conditionSection(result: LoadResult): Markup {
  const { target, seed, profile, omitted } = result;
  const again = sentAgainLine(result);
  const left = omitted.map((kind) => markup`<li>${kind}</li>`);
  const merged = partLines(result).map((line) => markup`<li>${line}</li>`);
  return markup`<section aria-labelledby="conditions"><h2 id="conditions">Conditions</h2>
<div class="conditions"><div class="card"><h3>The service</h3><p>${serviceLine(result)}</p></div><div class="card"><h3>The client</h3><p>${clientLine(result)}</p></div></div>
${result.sent === 0 ? markup`` : markup`<p class="hint">${rateLine(result)}. Judged: ${judgedLine(result)}.</p>`}
${again === undefined ? markup`` : markup`<p class="hint">Sent again: ${again}.</p>`}
${merged.length === 0 ? markup`` : markup`<p class="hint">Merged, aligned at the start of each run:</p><ul class="notes">${merged}</ul>`}
${left.length === 0 ? markup`` : markup`<p class="hint">Omitted from the mix:</p><ul class="notes">${left}</ul>`}
<details class="profile"><summary>Profile of this run</summary><p class="hint">To repeat the run, save this as profile.yaml and run:</p><pre>swapcheck load ${target} --profile profile.yaml --seed ${seed}</pre><pre class="whole">${markupLines(writeProfile(profile))}</pre></details></section>`;
}
