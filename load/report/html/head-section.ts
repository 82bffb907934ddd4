import { type Markup, markup } from '../../../conformance/output/markup.ts';
import {
  formatCount,
  formatDuration,
  formatMoment,
  formatShare,
} from '../../../conformance/output/units.ts';
import type { LoadResult } from '../../model/load-result.ts';
import { errorCount } from '../../model/metrics.ts';
import { formatThreshold } from '../../thresholds/describe-threshold.ts';
import { formatErrors, formatLatency, workloadLine } from '../describe-run.ts';

/** Returns the head of the page: verdict, profile and main metrics. */
export function headSection(result: LoadResult): Markup {
  const { verdict, profile, target, startedAt, durationMs, sent } = result;
  return markup`<header><h1>swapcheck load ${result.version} · <span class="mono">${target}</span></h1>
<div class="verdict ${verdict}"><strong>${verdict}</strong><span>${headline(result)}</span></div>
<p><b>${profile.name}</b>: ${profile.description}</p>
<p class="run">${workloadLine(result)}; started ${formatMoment(startedAt)}, took ${formatDuration(durationMs)}, ${formatCount(sent)} requests sent</p>
<div class="tiles">${tiles(result)}</div></header>`;
}

/** Only names the crossed thresholds. The table below shows by how much each was crossed. */
function headline({ verdict, reason, thresholds, breakpoint }: LoadResult): string {
  const crossed = thresholds.filter(({ held }) => !held).map(formatThreshold);
  if (verdict !== 'failed' || crossed.length === 0 || breakpoint !== undefined) return reason;
  const names = crossed.map(({ name }) => name).join(', ');
  return `${crossed.length} of ${thresholds.length} thresholds did not hold: ${names}`;
}

function tiles(result: LoadResult): Markup[] {
  const { endpoints, rateRequested, rateReached, samples, breakpoint } = result;
  const [all] = endpoints;
  const wasMeasured = all !== undefined && all.requests > 0;
  const latency = (name: 'p50' | 'p99' | 'p99.9', label: string): Markup =>
    wasMeasured
      ? tile(formatLatency(all, name), 'ms', label, isCrossed(result, name))
      : tile('–', '', label);
  const errors = all === undefined ? 0 : errorCount(all);
  const requested =
    rateRequested === undefined ? 'reached' : `reached of ${formatRate(rateRequested)} requested`;
  return [
    breakpoint?.highestHeld === undefined
      ? tile(wasMeasured ? formatRate(rateReached) : '–', wasMeasured ? 'req/s' : '', requested)
      : tile(formatRate(breakpoint.highestHeld), 'req/s', 'is the highest rate that held'),
    latency('p50', 'median latency'),
    latency('p99', 'p99 latency'),
    latency('p99.9', 'p99.9 latency'),
    wasMeasured
      ? tile(
          formatShare(errors / all.requests),
          '',
          `errors: ${formatErrors('all', endpoints)}`,
          errors > 0,
        )
      : tile('–', '', 'errors'),
    samples.judged === 0
      ? tile('–', '', 'no reply was judged')
      : tile(
          formatCount(samples.wrong),
          `of ${formatCount(samples.judged)}`,
          'judged replies are wrong',
          samples.wrong > 0,
        ),
  ];
}

function isCrossed({ thresholds }: LoadResult, name: string): boolean {
  return thresholds.some(
    ({ metric, endpoint, held }) => metric === name && endpoint === 'all' && !held,
  );
}

function tile(value: string, unit: string, label: string, isBad = false): Markup {
  return markup`<div class="${isBad ? 'tile bad' : 'tile'}"><b>${value} <small>${unit}</small></b><span>${label}</span></div>`;
}

function formatRate(rate: number): string {
  return rate >= 100 ? formatCount(Math.round(rate)) : rate.toFixed(1);
}
