import { chartAssets } from '../../conformance/output/charts.ts';
import { DOCUMENT_STYLE, documentSections } from '../../conformance/output/document-page.ts';
import { type Markup, markup, markupLines } from '../../conformance/output/markup.ts';
import { writePage } from '../../conformance/output/page.ts';
import { formatCount, formatShare } from '../../conformance/output/units.ts';
import type { LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import { writeProfile } from '../profiles/write-profile.ts';
import { formatLatency } from './describe-run.ts';
import { chartData } from './html/chart-data.ts';
import { loadDocument } from './load-document.ts';

/**
 * Returns the result as one self-contained page: the document that every format shows, with charts.
 * It includes uPlot. Text from a service is escaped.
 */
export function write(result: LoadResult): string {
  const { verdict, profile, target, version, series, breakpoint, endpoints } = result;
  const [head, run, ...sections] = loadDocument(result);
  const before = (title: string) => sections.findIndex((section) => section.title === title);
  const [steps, metrics] = [before('Rates tried'), before('Latency by endpoint')];
  const shown = documentSections(sections.slice(0, steps));
  const { style, script } = chartAssets(import.meta.url, 'html/load');
  return writePage({
    title: `${verdict}: load ${profile.name} · ${target}`,
    style: DOCUMENT_STYLE + style,
    script,
    data: chartData(result),
    header: markup`<header>${documentSections([head, run].flatMap((section) => section ?? []))}
<div class="tiles">${tiles(result)}</div></header>`,
    main: [
      ...shown,
      ...(breakpoint === undefined || breakpoint.steps.length === 0 ? [] : [SEARCH]),
      ...documentSections(sections.slice(steps, metrics)),
      ...(series.length === 0 ? [] : [chartsOverTime(result)]),
      ...(endpoints.some(({ requests }) => requests > 0) ? [CURVE] : []),
      ...documentSections(sections.slice(metrics)),
      repeatSection(result),
    ],
    footer: markup`Written by swapcheck ${version}. Latency runs from when a request was due, so a stalled service cannot hide the requests that could not be sent.`,
  });
}

function tiles({ endpoints, rateReached, samples, breakpoint }: LoadResult): readonly Markup[] {
  const [all] = endpoints;
  if (all === undefined || all.requests === 0) return [];
  const errors = errorCount(all);
  const rate = breakpoint?.highestHeld ?? rateReached;
  const rateLabel = breakpoint?.highestHeld === undefined ? 'reached' : 'is the highest rate held';
  return [
    tile(`${formatCount(Math.round(rate))}/s`, rateLabel),
    ...(['p50', 'p99', 'p99.9'] as const).map((name) =>
      tile(`${formatLatency(all, name)} ms`, `${name} latency`),
    ),
    tile(formatShare(errors / all.requests), 'errors', errors > 0),
    samples.judged === 0
      ? tile('–', 'no reply was judged')
      : tile(
          formatCount(samples.wrong),
          `of ${formatCount(samples.judged)} judged replies are wrong`,
          samples.wrong > 0,
        ),
  ];
}

function tile(value: string, label: string, isBad = false): Markup {
  return markup`<div class="${isBad ? 'tile bad' : 'tile'}"><b>${value}</b><span>${label}</span></div>`;
}

function plot(id: string, label: string): Markup {
  return markup`<div class="chart"><div class="plot" id="${id}" role="img" aria-label="${label}"></div></div>`;
}

const SEARCH = markup`<section><h2>Latency by rate <small>milliseconds by requests per second, of every run; the rest of this page shows the highest rate that held</small></h2>
${plot('search', 'Latency by rate, in the table below')}</section>`;

const CURVE = markup`<section><h2>Latency by percentile <small>each endpoint, both axes logarithmic</small></h2>
${plot('curve', 'Latency by percentile and endpoint, in the table below')}
<p class="hint">Drag over a chart to zoom in, double-click to zoom out; click a name to hide its line.</p></section>`;

/** Returns the charts over time, with a choice of endpoints. */
function chartsOverTime({ series, endpoints, intervalS }: LoadResult): Markup {
  const names = ['all', ...endpoints.flatMap(({ name, series: own }) => (own ? [name] : []))];
  const choice =
    names.length < 2
      ? markup``
      : markup`<label class="choice">of <select id="endpoint">${names.map((name) => markup`<option>${name === 'all' ? 'all requests' : name}</option>`)}</select></label>`;
  const every = intervalS === 1 ? 'in each second' : `every ${intervalS} s`;
  const errors = series.some((interval) => errorCount(interval) > 0)
    ? markup`<section><h2>Errors <small>${every}, by kind</small></h2>${plot('errors', 'Errors over time by kind')}</section>`
    : markup``;
  return markup`<section><div class="titled"><h2>Latency over time <small>milliseconds, logarithmic; the warm-up is shaded</small></h2>${choice}</div>
${plot('latency', 'Latency over time by percentile')}</section>
<section><h2>Rate over time <small>requests per second</small></h2>${plot('rate', 'Requested, sent and succeeded rate over time')}</section>
${errors}`;
}

function repeatSection({ target, seed, profile }: LoadResult): Markup {
  return markup`<section><details class="profile"><summary>Profile of this run</summary><p class="hint">To repeat the run, save this as profile.yaml and run:</p><pre>swapcheck load ${target} --profile profile.yaml --seed ${seed}</pre><pre class="whole">${markupLines(writeProfile(profile))}</pre></details></section>`;
}
