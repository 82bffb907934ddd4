import { decodeAll } from '../../run/timeline.ts';
import type { LoadResult } from '../load-result.ts';

/** What the page's script draws: columns as uPlot takes them. */
export type ChartData = {
  readonly warmUpS: number;
  readonly p99BoundMs: number | undefined;
  /** Seconds, then a column a line; null where nothing ended. */
  readonly latency: { readonly names: readonly string[]; readonly columns: Columns };
  readonly rate: { readonly names: readonly string[]; readonly columns: Columns };
  readonly errors: { readonly names: readonly string[]; readonly columns: Columns };
  /** Position on a scale on which 90 %, 99 %, 99.9 % are evenly spaced, then milliseconds by endpoint. */
  readonly curve: { readonly names: readonly string[]; readonly columns: Columns };
};

type Columns = readonly (readonly (number | null)[])[];

const OVER_TIME = ['p50', 'p90', 'p99', 'p99.9', 'max'] as const;
const STEPS_A_NINE = 12;

/** Returns the columns of every chart of the page. */
export function chartData({ series, endpoints, warmUpS, thresholds }: LoadResult): ChartData {
  const seconds = series.map(({ startS }) => startS);
  const bound = thresholds.find(({ metric, endpoint }) => metric === 'p99' && endpoint === 'all');
  const asked = series.map((interval) => interval.asked ?? null);
  const hasAsked = asked.some((rate) => rate !== null);
  return {
    warmUpS,
    p99BoundMs: bound?.max,
    latency: {
      names: OVER_TIME,
      columns: [
        seconds,
        ...OVER_TIME.map((name) =>
          series.map((interval) => (interval.requests === 0 ? null : round(interval[name]))),
        ),
      ],
    },
    rate: {
      names: hasAsked ? ['reached', 'asked'] : ['reached'],
      columns: [
        seconds,
        series.map(({ reached }) => round(reached)),
        ...(hasAsked ? [asked.map((rate) => (rate === null ? null : round(rate)))] : []),
      ],
    },
    errors: { names: ['errors'], columns: [seconds, series.map(({ errors }) => errors)] },
    curve: curves(endpoints),
  };
}

/** Latency by percentile and endpoint, only as deep as an endpoint's number of requests can tell. */
function curves(endpoints: LoadResult['endpoints']): ChartData['curve'] {
  const shown = endpoints.filter(({ requests }) => requests > 0);
  const deepest = Math.log10(Math.max(1, ...shown.map(({ requests }) => requests)));
  const nines = Array.from({ length: Math.ceil(deepest * STEPS_A_NINE) + 1 }, (_, step) =>
    Math.min(deepest, step / STEPS_A_NINE),
  );
  const columns = shown.map(({ requests, latencyHistogram }) => {
    const histogram = decodeAll([latencyHistogram]);
    const depth = Math.log10(requests) + 1 / STEPS_A_NINE;
    return nines.map((nine) =>
      nine > depth ? null : round(histogram.getValueAtPercentile(100 * (1 - 10 ** -nine)) / 1000),
    );
  });
  return { names: shown.map(({ name }) => name), columns: [nines, ...columns] };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
