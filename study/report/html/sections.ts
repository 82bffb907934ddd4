import { planGraph } from '../../../conformance/drawing/plan-graph.ts';
import { drawPlan } from '../../../conformance/drawing/plan-svg.ts';
import { type Markup, markup, trusted } from '../../../conformance/output/markup.ts';
import { formatShare } from '../../../conformance/output/units.ts';
import type { ServiceMetrics } from '../../model/metrics.ts';
import { SURVIVAL_BPS } from '../../model/settings.ts';
import type { StudyReport } from '../../model/study-report.ts';
import { describeSettings, describeWorst } from '../describe-study.ts';
import { formatBps, formatEstimate, formatSize } from '../format.ts';

/** Returns the head of the page: settings, and the main metric of each service. */
export function headSection(report: StudyReport): Markup {
  const { verdict, reason, metrics, notes } = report;
  const tiles = metrics.map(({ name, received, quoted }) => {
    const first = received[0];
    const median =
      first?.medianBps === undefined ? '–' : `${formatEstimate(first.medianBps, formatBps)} bps`;
    const settled = first?.settled === undefined ? '–' : formatShare(first.settled.value);
    const share = quoted === undefined ? '–' : formatShare(quoted.value);
    return markup`<div class="tile"><span>${name}</span><b>${median}</b><span>received compared with quoted; ${settled} settled, ${share} quoted</span></div>`;
  });
  return markup`<header><h1>swapcheck study</h1>
<p class="verdict ${verdict}"><strong>${verdict}</strong><span>${reason}</span></p>
${describeSettings(report).map((line) => markup`<p>${line}</p>`)}
${notes.length === 0 ? undefined : markup`<ul class="notes">${notes.map((note) => markup`<li>${note}</li>`)}</ul>`}
<div class="tiles">${tiles}</div></header>`;
}

/**
 * Returns one chart per tolerance: the share of quotes that still settle, by blocks after the
 * quote.
 */
export function survivalSection({ settings }: StudyReport): Markup {
  if (settings.blocks.length < 2) return markup``;
  const charts = SURVIVAL_BPS.map((toleranceBps, at) => {
    const title = `${toleranceBps / 100}% tolerance`;
    return markup`<div><h3>${title}</h3>${chart(`survival-${at}`, `Share of quotes that settle within ${title}, by blocks after the quote`)}</div>`;
  });
  return markup`<section aria-labelledby="survival-curve"><h2 id="survival-curve">Survival curve <small>share of quotes that still settle within a slippage tolerance</small></h2><div class="charts">${charts}</div></section>`;
}

/**
 * Returns the distribution of received amounts compared with quoted amounts, by service and blocks.
 */
export function distributionSection({ metrics }: StudyReport): Markup {
  if (metrics.every(({ received }) => received.every(({ spreadBps }) => !spreadBps))) {
    return markup``;
  }
  return markup`<section aria-labelledby="distribution"><h2 id="distribution">Distribution <small>received against quoted, basis points</small></h2>
${chart('received', 'Received amounts compared with quotes, in basis points, by blocks after the quote; the table above has the numbers')}
<p class="hint">A box holds the middle half, its bar is the median, the thin line holds 90 of 100. Point at a block for its values; click a name to hide the service.</p></section>`;
}

function chart(id: string, label: string): Markup {
  return markup`<div class="chart"><div class="plot" id="${id}" role="img" aria-label="${label}"></div></div>`;
}

const FULL_COLOR_BPS = 50;

/**
 * Returns a heat map for each service, with a row per pair and a column per size. Colors compare
 * received with quoted amounts.
 */
export function heatSection({ metrics, settings }: StudyReport): Markup {
  const maps = metrics.map(({ name, cells }) => {
    const pairs = [...new Set(cells.map(({ pair }) => pair))];
    const head = settings.sizes.map((usd) => markup`<th scope="col">${formatSize(usd)}</th>`);
    const rows = pairs.map((pair) => {
      const row = settings.sizes.map((usd) =>
        heatCell(cells.find((each) => each.pair === pair && each.usd === usd)),
      );
      return markup`<tr><th scope="row">${pair}</th>${row}</tr>`;
    });
    return markup`<h3>${name}</h3><div class="scroll" tabindex="0"><table class="heat"><thead><tr><th scope="col">Pair</th>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
  });
  return markup`<section aria-labelledby="heat"><h2 id="heat">By pair and size <small>mean of received against quoted in basis points, and the share that settled</small></h2>${maps}
<p class="hint">At the block of the quote. Red: less than quoted, or not settled; green: more.</p></section>`;
}

function heatCell(cell: ServiceMetrics['cells'][number] | undefined): Markup {
  if (cell === undefined) return markup`<td class="none"></td>`;
  const { meanBps, settled, requested } = cell;
  if (settled === undefined) return markup`<td class="none">?</td>`;
  const bps = meanBps ?? 0;
  const lost = 1 - settled;
  const strength = Math.min(1, Math.max(Math.abs(bps) / FULL_COLOR_BPS, lost));
  const tint = bps < 0 || lost > 0 ? '--cell-bad' : '--cell-good';
  // The content security policy allows no inline styles, so eleven classes represent the strengths
  // of a color.
  const level = Math.round(strength * 10);
  const share =
    settled === 1 ? undefined : markup`<small>${formatShare(settled)} of ${requested}</small>`;
  return markup`<td class="${trusted(tint === '--cell-bad' ? 'b' : 'g')}${level}">${meanBps === undefined ? '–' : formatBps(meanBps)}${share}</td>`;
}

/** The classes of a heat map's cells, from no color to full color. */
export const HEAT_STYLE = ['b', 'g']
  .flatMap((kind) =>
    Array.from({ length: 11 }, (_, level) => {
      const tint = kind === 'b' ? '--cell-bad' : '--cell-good';
      return `.${kind}${level}{background:rgba(var(${tint}),${(level * 0.055).toFixed(3)})}`;
    }),
  )
  .join('\n');

/** Returns the worst trades with drawings of their plans. */
export function worstSection(report: StudyReport): Markup {
  const worst = describeWorst(report);
  if (worst.length === 0) return markup``;
  const entries = worst.map(({ head, details, plan }, at) => {
    const graph = plan && planGraph(plan, undefined);
    const drawing =
      graph &&
      markup`<figure><div class="drawing" tabindex="0">${drawPlan(graph)}</div><figcaption>The plan: share of the token, also as the width of the arrow, then amounts in and out.</figcaption></figure>`;
    return markup`<details class="failure worst"${at === 0 ? trusted(' open') : undefined}><summary><b>${head}</b></summary><div><dl class="parts">${details.map(([label, value]) => markup`<dt>${label}</dt><dd>${value}</dd>`)}</dl>${drawing}</div></details>`;
  });
  return markup`<section aria-labelledby="worst"><h2 id="worst">Worst trades <small>at the block of the quote</small></h2>${entries}</section>`;
}
