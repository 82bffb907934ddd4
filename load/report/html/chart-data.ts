import { decodeAll, percentileMs } from '../../model/histogram.ts';
import type { IntervalResult, LoadResult } from '../../model/load-result.ts';
import { errorCount } from '../../model/metrics.ts';

const OVER_TIME = ['p50', 'p90', 'p99', 'p99.9', 'max'] as const;
const STEPS_PER_NINE = 12;

/**
 * Returns the data of the page's charts. Columns are in uPlot's order: positions, then one column
 * per name. Missing values are null.
 */
export function chartData(result: LoadResult) {
  const { series, endpoints, warmUpS, intervalS } = result;
  return {
    warmUpS,
    intervalS,
    latency: [
      latencyChart('all', series, result),
      ...endpoints.flatMap(({ name, series: own }) =>
        own === undefined ? [] : [latencyChart(name, own, result)],
      ),
    ],
    rate: rateChart(result),
    errors: errorChart(series),
    curve: curves(endpoints),
    search: searchChart(result),
  };
}

/** `overall` contains, for each name, the value over the whole run. */
function latencyChart(
  endpoint: string,
  series: readonly IntervalResult[],
  { endpoints, thresholds }: LoadResult,
) {
  const metrics = endpoints.find(({ name }) => name === endpoint);
  return {
    endpoint,
    names: OVER_TIME,
    columns: [
      series.map(({ startS }) => startS),
      ...OVER_TIME.map((name) =>
        series.map((interval) => (interval.requests === 0 ? null : round(interval[name]))),
      ),
    ],
    overall: OVER_TIME.map((name) =>
      metrics === undefined || metrics.requests === 0 ? null : round(metrics.latencyMs[name]),
    ),
    bounds: boundsOf(thresholds, endpoint, OVER_TIME),
  };
}

function boundsOf(
  thresholds: LoadResult['thresholds'],
  endpoint: string,
  names: readonly string[],
) {
  return thresholds.flatMap(({ metric, endpoint: of, max, firstCrossedS }) =>
    of === endpoint && max !== undefined && names.includes(metric)
      ? [{ name: metric, ms: max, crossedS: firstCrossedS ?? null }]
      : [],
  );
}

function rateChart({ series, rateReached, rateRequested, endpoints }: LoadResult) {
  const hasRequested = series.some(({ requested }) => requested !== undefined);
  const [all] = endpoints;
  const succeeded =
    all === undefined || all.sentInTime === 0
      ? null
      : (rateReached * (all.requests - errorCount(all))) / all.sentInTime;
  return {
    names: ['sent', 'succeeded', ...(hasRequested ? ['requested'] : [])],
    overall: [rateReached, succeeded, rateRequested ?? null].map((rate) =>
      rate === null ? null : round(rate),
    ),
    columns: [
      series.map(({ startS }) => startS),
      series.map(({ reached }) => round(reached)),
      series.map(({ succeeded }) => round(succeeded)),
      ...(hasRequested
        ? [series.map(({ requested }) => (requested === undefined ? null : round(requested)))]
        : []),
    ],
  };
}

function errorChart(series: readonly IntervalResult[]) {
  const names = [...new Set(series.flatMap(({ errors }) => Object.keys(errors)))].sort();
  const counts = names.map((name) => series.map(({ errors }) => errors[name] ?? 0));
  const stacked = counts.map((_column, kind) =>
    series.map((_interval, at) => {
      const upTo = counts.slice(0, kind + 1);
      return (counts[kind]?.[at] ?? 0) === 0
        ? null
        : upTo.reduce((sum, column) => sum + (column[at] ?? 0), 0);
    }),
  );
  return { names, columns: [series.map(({ startS }) => startS), ...stacked], counts };
}

/**
 * A curve ends at the highest percentile that the endpoint's number of requests can show. The scale
 * spaces 90%, 99% and 99.9% evenly.
 */
function curves(endpoints: LoadResult['endpoints']) {
  const shown = endpoints.filter(({ requests }) => requests > 0);
  const deepest = Math.log10(Math.max(1, ...shown.map(({ requests }) => requests)));
  const nines = Array.from({ length: Math.ceil(deepest * STEPS_PER_NINE) + 1 }, (_, step) =>
    Math.min(deepest, step / STEPS_PER_NINE),
  );
  const columns = shown.map(({ requests, latencyHistogram }) => {
    const histogram = decodeAll([latencyHistogram]);
    const depth = Math.log10(requests) + 1 / STEPS_PER_NINE;
    return nines.map((nine) =>
      nine > depth ? null : round(percentileMs(histogram, 100 * (1 - 10 ** -nine))),
    );
  });
  return { names: shown.map(({ name }) => name), columns: [nines, ...columns] };
}

function searchChart({ breakpoint, thresholds }: LoadResult) {
  if (breakpoint === undefined || breakpoint.steps.length === 0) return null;
  // The lines connect the last run at each rate, but every run has its dots.
  const lastTries = new Map(breakpoint.steps.map((step) => [step.rate, step]));
  const steps = [...lastTries.values()].sort((a, b) => a.rate - b.rate);
  const names = ['p50', 'p99'];
  return {
    names,
    bounds: boundsOf(thresholds, 'all', names).map((bound) => ({ ...bound, crossedS: null })),
    columns: [
      steps.map(({ rate }) => rate),
      steps.map(({ p50 }) => round(p50)),
      steps.map(({ p99 }) => round(p99)),
    ],
    runs: breakpoint.steps.map(({ rate, p50, p99, outcome }) => ({ rate, p50, p99, outcome })),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
