import { type Block, tableOf } from '../../conformance/output/document.ts';
import { formatCount, formatDuration, formatMs } from '../../conformance/output/units.ts';
import { openStages, totalDurationS } from '../engine/schedule.ts';
import { decodeAll, percentileMs } from '../model/histogram.ts';
import type { IntervalResult, LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';

type Phase = { readonly name: string; readonly fromS: number; readonly toS: number };

/** Shorter runs at a constant rate are too short for a drift. */
const MIN_DRIFT_S = 300;

/**
 * Returns the metrics of each stage of a run, and after a spike the time to recover. For a long run
 * at a constant rate, compares its first and its last quarter. Other runs have no phases.
 */
export function phaseBlocks(result: LoadResult): readonly Block[] {
  const phases = phasesOf(result);
  const measured = phases.map((phase) => ({ ...phase, ...metricsIn(result, phase) }));
  if (measured.length < 2 || measured.some(({ requests }) => requests === 0)) return [];
  const [first, , third] = measured;
  const last = measured.at(-1);
  const isSpike = first?.name === 'before the spike' && third !== undefined;
  const line = isSpike
    ? recovery(result, first, third)
    : measured.length === 2 && first?.name === FIRST && last !== undefined
      ? `Drift from the first to the last quarter: p50 ${change(first.p50, last.p50)}, p99 ${change(first.p99, last.p99)}`
      : undefined;
  return [
    ...tableOf(
      ['Phase', 'From', 'To', 'Requests', 'p50', 'p99', 'max', 'Errors'],
      measured.map(({ name, fromS, toS, requests, p50, p99, max, errors }) => [
        name,
        ...[fromS, toS].map((seconds) => formatDuration(seconds * 1000)),
        formatCount(requests),
        ...[p50, p99, max].map(formatMs),
        errors === 0 ? '0' : { text: formatCount(errors), tint: 'bad' as const },
      ]),
    ),
    ...(line === undefined ? [] : [{ kind: 'line', line } as const]),
  ];
}

const FIRST = 'first quarter';

function phasesOf({ profile: { workload }, warmUpS }: LoadResult): readonly Phase[] {
  if (workload.model !== 'open') return [];
  const totalS = totalDurationS(openStages(workload.stages));
  if (workload.stages.length === 1) {
    const quarterS = (totalS - warmUpS) / 4;
    if (totalS < MIN_DRIFT_S) return [];
    return [
      { name: FIRST, fromS: warmUpS, toS: warmUpS + quarterS },
      { name: 'last quarter', fromS: totalS - quarterS, toS: totalS },
    ];
  }
  const [before, during, after] = workload.stages.map(({ rate }) => rate);
  const isSpike = workload.stages.length === 3 && (during ?? 0) > Math.max(before ?? 0, after ?? 0);
  const spikeNames = ['before the spike', 'during the spike', 'after the spike'];
  let startS = 0;
  return workload.stages.map(({ durationS, rate }, at) => {
    const fromS = startS;
    startS += durationS;
    const name = (isSpike && spikeNames[at]) || `${Number(rate.toPrecision(4))}/s`;
    return { name, fromS: Math.max(fromS, at === 0 ? warmUpS : 0), toS: startS };
  });
}

function isIn({ startS }: { readonly startS: number }, { fromS, toS }: Phase): boolean {
  return startS >= fromS && startS < toS;
}

function metricsIn({ endpoints }: LoadResult, phase: Phase) {
  const intervals: readonly IntervalResult[] = endpoints.flatMap(({ name, series = [] }) =>
    name === 'all' ? [] : series.filter((each) => isIn(each, phase)),
  );
  const histogram = decodeAll(intervals.flatMap(({ latencyHistogram }) => latencyHistogram ?? []));
  return {
    requests: histogram.totalCount,
    p50: percentileMs(histogram, 50),
    p99: percentileMs(histogram, 99),
    max: histogram.maxValue / 1000,
    errors: intervals.reduce((sum, each) => sum + errorCount(each), 0),
  };
}

/**
 * The service has recovered when each later interval is as fast as the slowest before the spike.
 */
function recovery({ series, intervalS }: LoadResult, before: Phase, after: Phase): string {
  const usual = series.filter((each) => isIn(each, before));
  const slowestMs = Math.max(...usual.map(({ p99 }) => p99));
  const later = series.filter((each) => isIn(each, after));
  const slow = later.filter((each) => each.p99 > slowestMs || errorCount(each) > 0).at(-1);
  const bound = `the slowest p99 before the spike (${formatMs(slowestMs)} ms)`;
  if (slow === later.at(-1)) return `Did not recover to ${bound} before the end`;
  const seconds = slow === undefined ? 0 : slow.startS + intervalS - after.fromS;
  return `Time to recover to ${bound}: ${formatDuration(seconds * 1000)}`;
}

function change(from: number, to: number): string {
  const percent = from === 0 ? 0 : (100 * (to - from)) / from;
  return `${formatMs(from)} to ${formatMs(to)} ms (${percent < 0 ? '' : '+'}${percent.toFixed(0)}%)`;
}
