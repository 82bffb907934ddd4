import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { markup, trusted } from '../../conformance/report/html/markup.ts';
import { STYLE } from '../../conformance/report/html/style.ts';
import { chartData } from './html/chart-data.ts';
import { figureSection, outcomeSection, timeSection } from './html/figure-sections.ts';
import { headSection } from './html/head-section.ts';
import { LOAD_SCRIPT } from './html/load-script.ts';
import {
  conditionSection,
  searchSection,
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
${searchSection(result)}
${timeSection(result)}
${figureSection(result)}
${outcomeSection(result)}
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
