import { type Markup, markup } from '../../../conformance/report/html/markup.ts';
import { describeCrossing } from '../../thresholds/check-thresholds.ts';
import type { LoadResult } from '../load-result.ts';
import {
  clientLine,
  errorCount,
  rateLine,
  serviceLine,
  showErrors,
  showMs,
  showShare,
  showThreshold,
  workloadLine,
} from '../words.ts';

/** Returns the head of the page: verdict, what was played, the figures that matter most. */
export function headSection(result: LoadResult): Markup {
  const { endpoints, verdict, reason, profile, target, rateAsked, rateReached, samples } = result;
  const [all] = endpoints;
  const errors = all === undefined ? 0 : errorCount(all);
  const share = all === undefined || all.requests === 0 ? 0 : errors / all.requests;
  const tile = (value: string, unit: string, label: string, bad = false): Markup =>
    markup`<div class="${bad ? 'tile bad' : 'tile'}"><b>${value} <small>${unit}</small></b><span>${label}</span></div>`;
  return markup`<header><h1>swapcheck load ${result.version} · <span class="mono">${target}</span></h1>
<div class="verdict ${verdict}"><strong>${verdict}</strong><span>${reason}</span></div>
<p><b>${profile.name}</b>: ${profile.description}</p>
<p class="played">${workloadLine(result)}; started ${result.startedAt}, took ${(result.durationMs / 1000).toFixed(1)} s</p>
<div class="tiles">
${tile(rateReached.toFixed(rateReached >= 100 ? 0 : 1), 'req/s', rateAsked === undefined ? 'reached' : `reached of ${rateAsked.toFixed(1)} asked for`)}
${tile(showMs(all?.latencyMs.p50 ?? 0), 'ms', 'median latency')}
${tile(showMs(all?.latencyMs.p99 ?? 0), 'ms', 'p99 latency')}
${tile(showMs(all?.latencyMs['p99.9'] ?? 0), 'ms', 'p99.9 latency')}
${tile(showShare(share), '', `errors: ${all === undefined ? 'none' : showErrors(all.errors)}`, errors > 0)}
${tile(String(samples.wrong), `of ${samples.judged}`, 'judged replies are wrong', samples.wrong > 0)}
</div></header>`;
}

/** Returns the table of thresholds. */
export function thresholdSection({ thresholds }: LoadResult): Markup {
  if (thresholds.length === 0) return markup``;
  const rows = thresholds.map((threshold) => {
    const { name, bound, actual } = showThreshold(threshold);
    const why = threshold.held
      ? markup``
      : markup`<span class="why">${describeCrossing(threshold)}</span>`;
    return markup`<tr><td><span class="chip ${threshold.held ? 'pass' : 'fail'}">${threshold.held ? 'held' : 'crossed'}</span></td><td>${name}${why}</td><td data-label="bound">${bound}</td><td data-label="measured">${actual}</td></tr>`;
  });
  return markup`<section aria-labelledby="thresholds"><h2 id="thresholds">Thresholds</h2>
<div class="scroll"><table><thead><tr><th></th><th>Figure</th><th>Bound</th><th>Measured</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

/** Returns the replies that broke a rule under load. */
export function wrongSection({ samples }: LoadResult): Markup {
  if (samples.findings.length === 0) return markup``;
  const findings = samples.findings.map(
    ({ rule, clause, expected, actual, target, status, excerpt, count, firstS }) =>
      markup`<details class="failure" open><summary><b>${rule}</b><span class="mono">${clause}</span><span class="count">${count} of ${samples.judged} judged, first at ${firstS} s</span></summary>
<div class="anatomy"><dl><dt>Expected</dt><dd class="expected">${expected}</dd><dt>Actual</dt><dd class="actual">${actual}</dd><dt>Request</dt><dd class="mono">${target}</dd><dt>Reply</dt><dd><pre>HTTP ${status}: ${excerpt}</pre></dd></dl></div></details>`,
  );
  return markup`<section aria-labelledby="wrong"><h2 id="wrong">Wrong replies <small>from the sample that the rules judged</small></h2>${findings}</section>`;
}

/** Returns the rates that a breakpoint search tried. */
export function stepSection({ breakpoint }: LoadResult): Markup {
  if (breakpoint === undefined) return markup``;
  const rows = breakpoint.steps.map(
    ({ rate, reached, held, p99, errors, crossed }) =>
      markup`<tr><td><span class="chip ${held ? 'pass' : 'fail'}">${held ? 'held' : 'crossed'}</span></td><td class="number" data-label="rate">${String(rate)}/s</td><td class="number" data-label="reached">${reached.toFixed(1)}/s</td><td class="number" data-label="p99 ms">${showMs(p99)}</td><td class="number" data-label="errors">${errors}</td><td>${crossed.join('; ')}</td></tr>`,
  );
  return markup`<section aria-labelledby="steps"><h2 id="steps">Rates tried <small>the charts show the highest that held</small></h2>
<div class="scroll"><table><thead><tr><th></th><th class="number">Rate</th><th class="number">Reached</th><th class="number">p99 ms</th><th class="number">Errors</th><th>Why not</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

/** Returns the figures by endpoint. */
export function figureSection({ endpoints }: LoadResult): Markup {
  const columns = ['p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'p99.99', 'max'] as const;
  const rows = endpoints.map((endpoint) => {
    const errors = errorCount(endpoint);
    return markup`<tr class="${endpoint.name === 'all' ? 'all' : ''}"><th scope="row">${endpoint.name}</th><td class="number" data-label="requests">${endpoint.requests}</td><td class="${errors > 0 ? 'number bad' : 'number'}" data-label="errors">${errors}</td>${columns.map((name) => markup`<td class="number" data-label="${name}">${showMs(endpoint.latencyMs[name])}</td>`)}<td class="number" data-label="service p99">${showMs(endpoint.serviceMs.p99)}</td></tr>`;
  });
  return markup`<section aria-labelledby="figures"><h2 id="figures">Latency by endpoint <small>milliseconds from when a request was due</small></h2>
<div class="scroll"><table class="figures"><thead><tr><th>Endpoint</th><th class="number">Requests</th><th class="number">Errors</th>${columns.map((name) => markup`<th class="number">${name}</th>`)}<th class="number">Service p99</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="hint">“Service p99” runs from when a request was sent: where it is far below p99, requests waited for a free connection.</p></section>`;
}

/** Returns the conditions on both sides, and what was not measured. */
export function conditionSection(result: LoadResult): Markup {
  const left = result.leftOut.map((kind) => markup`<li>${kind}</li>`);
  return markup`<section aria-labelledby="conditions"><h2 id="conditions">Conditions</h2>
<div class="conditions"><div class="card"><h3>The service</h3><p>${serviceLine(result)}</p></div><div class="card"><h3>The client</h3><p>${clientLine(result)}</p></div></div>
<p class="hint">${rateLine(result)}. ${result.sent} requests were sent, ${result.samples.judged} replies judged.</p>
${left.length === 0 ? markup`` : markup`<p class="hint">Left out of the mix:</p><ul class="notes">${left}</ul>`}</section>`;
}
