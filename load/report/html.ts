import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { markup, trusted } from '../../conformance/report/html/markup.ts';
import { STYLE } from '../../conformance/report/html/style.ts';
import { chartData } from './html/chart-data.ts';
import { LOAD_SCRIPT } from './html/load-script.ts';
import {
  conditionSection,
  figureSection,
  headSection,
  stepSection,
  thresholdSection,
  wrongSection,
} from './html/load-sections.ts';
import { LOAD_STYLE } from './html/load-style.ts';
import type { LoadResult } from './load-result.ts';

/**
 * Returns the result as one self-contained page, for a browser without a
 * network: uPlot stands in it, no source but its own runs (their hashes are in
 * its content security policy), and everything a service sent is escaped.
 */
export function writeLoadHtml(result: LoadResult): string {
  const style = readUplot('uPlot.min.css') + STYLE + LOAD_STYLE;
  const script = `${readUplot('uPlot.iife.min.js')}\n${LOAD_SCRIPT}`;
  const policy = [
    "default-src 'none'",
    `style-src '${sha256(style)}'`,
    `script-src '${sha256(script)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  // In a data block the only text that could end it is "</": no "<" is left.
  const data = JSON.stringify(chartData(result)).replaceAll('<', '\\u003c');
  const page = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${result.verdict}: load ${result.profile.name} · ${result.target} · swapcheck</title>
<style>${trusted(style)}</style></head>
<body>${headSection(result)}
<main>
${thresholdSection(result)}
${wrongSection(result)}
${stepSection(result)}
<section aria-labelledby="over-time"><h2 id="over-time">Latency over time <small>milliseconds, logarithmic; the warm-up is shaded</small></h2>
<div class="chart"><div class="plot" id="latency"></div></div></section>
<div class="pair">
<section aria-labelledby="rates"><h2 id="rates">Rate asked for and reached <small>requests a second</small></h2>
<div class="chart"><div class="plot low" id="rate"></div></div></section>
<section aria-labelledby="losses"><h2 id="losses">Errors over time <small>in ${result.intervalS === 1 ? 'each second' : `every ${result.intervalS} s`}</small></h2>
<div class="chart"><div class="plot low" id="errors"></div></div></section>
</div>
<section aria-labelledby="percentiles"><h2 id="percentiles">Latency by percentile <small>each endpoint, both axes logarithmic</small></h2>
<div class="chart"><div class="plot" id="curve"></div></div>
<p class="hint">Drag over a chart to zoom in, double-click to zoom out; click a name to hide its line.</p></section>
${figureSection(result)}
${conditionSection(result)}
</main>
<footer>Written by swapcheck ${result.version}. Latency runs from when a request was due, so a service that stalls cannot hide the requests it kept from being sent.</footer>
<script type="application/json" id="data">${trusted(data)}</script>
<script>${trusted(script)}</script></body></html>
`;
  return page.text;
}

function readUplot(file: string): string {
  return readFileSync(resolveUplot(file), 'utf8');
}

function resolveUplot(file: string): string {
  return createRequire(import.meta.url).resolve(`uplot/dist/${file}`);
}

function sha256(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
