import type { Measurement } from '../engine/measure.ts';
import { requestedBetween, type Stage } from '../engine/schedule.ts';
import { mergeEndpoints } from '../engine/timeline.ts';
import { decodeAll, mergeHistograms, percentilesOf } from '../model/histogram.ts';
import type { EndpointResult, IntervalResult, RunInterval } from '../model/load-result.ts';
import { type EndpointMetrics, errorCount, type IntervalMetrics } from '../model/metrics.ts';

type MeasuredTime = Pick<Measurement, 'intervals' | 'intervalMs' | 'durationMs'>;

/**
 * Returns the metrics by endpoint in the order of `names`, preceded by the metrics of all
 * endpoints.
 */
export function endpointResults(
  endpoints: Readonly<Record<string, EndpointMetrics>>,
  names: readonly string[],
  time: MeasuredTime,
): EndpointResult[] {
  const all = mergeEndpoints(Object.values(endpoints).map((metrics) => ({ all: metrics })))['all'];
  if (all === undefined) return [];
  const each = names.flatMap((name) => {
    const metrics = endpoints[name];
    if (metrics === undefined) return [];
    const series = groups(time).map((group) => {
      const parts = partsOf(group, name);
      const latencyHistogram = mergeHistograms(parts.map(({ latency }) => latency));
      return { ...intervalResult(group, parts), ...(parts.length > 0 && { latencyHistogram }) };
    });
    return [{ ...endpointResult(name, metrics), series }];
  });
  return [endpointResult('all', all), ...each];
}

function endpointResult(name: string, metrics: EndpointMetrics): EndpointResult {
  const { requests, sentInTime, errors, statuses, latency, service } = metrics;
  return {
    name,
    requests,
    sentInTime,
    errors: { ...errors },
    statuses,
    latencyMs: percentilesOf(decodeAll([latency])),
    serviceMs: percentilesOf(decodeAll([service])),
    latencyHistogram: latency,
    serviceHistogram: service,
  };
}

/**
 * Returns the metrics over time of all requests together, with their rates. `stages` determine the
 * requested rate.
 */
export function runSeries(time: MeasuredTime, stages?: readonly Stage[]): RunInterval[] {
  return groups(time).map((group) => {
    const [{ startMs }] = group;
    // The last interval may be shorter or longer than the others, so its rate is computed over its
    // real length.
    const lastStartMs = group[group.length - 1]?.startMs ?? startMs;
    const endMs = Math.min(lastStartMs + time.intervalMs, endOf(time));
    const lengthS = Math.max(1, endMs - startMs) / 1000;
    const parts = group.flatMap(({ endpoints }) => Object.values(endpoints));
    const interval = intervalResult(group, parts);
    const sentInAll = group.reduce((sum, { sent }) => sum + sent, 0);
    return {
      ...interval,
      sent: sentInAll,
      lengthS,
      ...(stages && {
        requested: requestedBetween(stages, startMs / 1000, endMs / 1000) / lengthS,
      }),
      reached: sentInAll / lengthS,
      succeeded: (interval.requests - errorCount(interval)) / lengthS,
    };
  });
}

type Group = readonly [IntervalMetrics, ...IntervalMetrics[]];
type Part = IntervalMetrics['endpoints'][string];

function intervalResult([{ startMs }]: Group, parts: readonly Part[]): IntervalResult {
  const errors: Record<string, number> = {};
  for (const part of parts) {
    for (const [kind, count] of Object.entries(part.errors)) {
      errors[kind] = (errors[kind] ?? 0) + count;
    }
  }
  return {
    startS: startMs / 1000,
    requests: parts.reduce((sum, { requests }) => sum + requests, 0),
    errors,
    ...percentilesOf(decodeAll(parts.map(({ latency }) => latency))),
  };
}

// A last interval of a few milliseconds would show a huge rate, so it is merged into the previous
// interval.
function groups(time: MeasuredTime): Group[] {
  const stubFromMs = endOf(time) - time.intervalMs / 2;
  const grouped: [IntervalMetrics, ...IntervalMetrics[]][] = [];
  for (const interval of time.intervals) {
    const before = grouped[grouped.length - 1];
    if (before !== undefined && interval.startMs > stubFromMs) before.push(interval);
    else grouped.push([interval]);
  }
  return grouped;
}

// The duration is unknown if every process was lost.
function endOf({ durationMs }: MeasuredTime): number {
  return durationMs === 0 ? Number.POSITIVE_INFINITY : durationMs;
}

function partsOf(group: Group, endpoint: string): Part[] {
  return group.flatMap(({ endpoints }) => endpoints[endpoint] ?? []);
}
