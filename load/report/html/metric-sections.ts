import { type Markup, markup } from '../../../conformance/output/markup.ts';
import { formatCount, formatMs } from '../../../conformance/output/units.ts';
import { PERCENTILES } from '../../model/histogram.ts';
import type { EndpointResult, LoadResult } from '../../model/load-result.ts';
import { errorCount } from '../../model/metrics.ts';
import { BRACKETS_NOTE, formatLatency } from '../describe-run.ts';

/** Returns the charts over time, with a choice of endpoints. */
export function timeSection({ series, endpoints, intervalS }: LoadResult): Markup {
  if (series.length === 0) return markup``;
  const names = ['all', ...endpoints.flatMap(({ name, series: own }) => (own ? [name] : []))];
  const choice =
    names.length < 2
      ? markup``
      : markup`<label class="choice">of <select id="endpoint">${names.map((name) => markup`<option>${name === 'all' ? 'all requests' : name}</option>`)}</select></label>`;
  const every = intervalS === 1 ? 'in each second' : `every ${intervalS} s`;
  const hasErrors = series.some((interval) => errorCount(interval) > 0);
  const errors = hasErrors
    ? markup`<div class="chart"><div class="plot low" id="errors" role="img" aria-label="Errors over time by kind"></div></div>`
    : markup`<div class="chart none">No request was lost, and every reply had the expected status.</div>`;
  return markup`<section aria-labelledby="over-time"><div class="titled"><h2 id="over-time">Latency over time <small>milliseconds, logarithmic; the warm-up is shaded</small></h2>${choice}</div>
<div class="chart"><div class="plot" id="latency" role="img" aria-label="Latency over time by percentile"></div></div></section>
<div class="pair">
<section aria-labelledby="rates"><h2 id="rates">Rate <small>requests per second</small></h2>
<div class="chart"><div class="plot low" id="rate" role="img" aria-label="Requested, sent and succeeded rate over time"></div></div></section>
<section aria-labelledby="losses"><h2 id="losses">Errors <small>${every}</small></h2>
${errors}</section>
</div>`;
}

export function percentileSection({ endpoints }: LoadResult): Markup {
  if (endpoints.every(({ requests }) => requests === 0)) return markup``;
  const columns = Object.keys(PERCENTILES) as (keyof typeof PERCENTILES)[];
  const rows = endpoints.map((endpoint) => {
    const errors = errorCount(endpoint);
    const { name, requests, latencyMs, serviceMs } = endpoint;
    const cells = columns.map(
      (column) =>
        markup`<td class="number" data-label="${column}">${formatLatency(endpoint, column)}</td>`,
    );
    return markup`<tr class="${name === 'all' ? 'all' : ''}"><th scope="row">${name}</th><td class="number" data-label="requests">${formatCount(requests)}</td><td class="${errors > 0 ? 'number bad' : 'number'}" data-label="errors">${formatCount(errors)}</td>${cells}<td class="number" data-label="max">${formatMs(latencyMs.max)}</td><td class="number" data-label="service p99">${formatMs(serviceMs.p99)}</td></tr>`;
  });
  return markup`<section aria-labelledby="percentiles"><h2 id="percentiles">Latency by percentile <small>each endpoint, both axes logarithmic</small></h2>
<div class="chart"><div class="plot" id="curve" role="img" aria-label="Latency by percentile and endpoint, in the table below"></div></div>
<p class="hint">Drag over a chart to zoom in, double-click to zoom out; click a name to hide its line.</p></section>
<section aria-labelledby="metrics"><h2 id="metrics">Latency by endpoint <small>milliseconds from when a request was due</small></h2>
<div class="scroll"><table class="metrics"><thead><tr><th>Endpoint</th><th class="number">Requests</th><th class="number">Errors</th>${columns.map((name) => markup`<th class="number">${name}</th>`)}<th class="number">max</th><th class="number">Service p99</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="hint">${BRACKETS_NOTE} “Service p99” runs from when a request was sent: if it is far below p99, requests waited for a free connection.</p></section>`;
}

const KINDS: Readonly<Record<string, string>> = {
  timeout: 'no complete reply within the timeout',
  reset: 'the connection was closed or reset before the reply was complete',
  refused: 'no connection could be made',
  protocol: 'the reply was not HTTP',
  'too-large': 'the reply was larger than 16 MiB, or its headers than 64 KiB',
  client: "the client's machine could open no more connections",
  status: 'a reply with an unexpected status',
  unsent: 'due, but no connection was free before the end',
};

/** Returns statuses and errors by endpoint. */
export function outcomeSection({ endpoints }: LoadResult): Markup {
  const statuses = namesIn(endpoints, (endpoint) => endpoint.statuses);
  const kinds = namesIn(endpoints, ({ errors }) => errors);
  if (statuses.length + kinds.length === 0) return markup``;
  const cell = (name: string, count: number, isBad: boolean): Markup =>
    markup`<td class="${isBad && count > 0 ? 'number bad' : 'number'}" data-label="${name}">${count === 0 ? '·' : formatCount(count)}</td>`;
  const rows = endpoints.map(
    (endpoint) =>
      markup`<tr class="${endpoint.name === 'all' ? 'all' : ''}"><th scope="row">${endpoint.name}</th>${statuses.map((name) => cell(name, endpoint.statuses[name] ?? 0, false))}${kinds.map((name) => cell(name, endpoint.errors[name] ?? 0, true))}</tr>`,
  );
  const heads = [...statuses.map((name) => `HTTP ${name}`), ...kinds];
  const words = kinds.map((kind) => markup`<dt>${kind}</dt><dd>${KINDS[kind] ?? ''}</dd>`);
  return markup`<section aria-labelledby="outcomes"><h2 id="outcomes">Replies and errors <small>requests by status and by kind of error</small></h2>
<div class="scroll"><table class="metrics"><thead><tr><th>Endpoint</th>${heads.map((name) => markup`<th class="number">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
${words.length === 0 ? markup`` : markup`<dl class="kinds">${words}</dl>`}</section>`;
}

function namesIn(
  endpoints: readonly EndpointResult[],
  of: (endpoint: EndpointResult) => Readonly<Record<string, number>>,
): string[] {
  return [...new Set(endpoints.flatMap((endpoint) => Object.keys(of(endpoint))))].sort();
}
