import type { MixPlan } from '../mix/mix-plan.ts';
import type { Measurement } from '../run/measure.ts';
import type { EndpointFigures, IntervalFigures } from '../run/recorder.ts';
import { requestCount, type Stage, totalDurationS } from '../run/schedule.ts';
import { decodeAll, mergeEndpoints } from '../run/timeline.ts';
import type { EndpointResult, IntervalResult } from './load-result.ts';
import { percentilesOf } from './percentiles.ts';

/** Returns the figures by endpoint, in the order of the mix, all together first. */
export function endpointResults(
  endpoints: Readonly<Record<string, EndpointFigures>>,
  mix: MixPlan,
): EndpointResult[] {
  const all = mergeEndpoints(Object.values(endpoints).map((figures) => ({ all: figures })))['all'];
  if (all === undefined) return [];
  const names = [...new Set(mix.kinds.map(({ endpoint }) => endpoint))];
  const each = names.flatMap((name) => {
    const figures = endpoints[name];
    return figures === undefined ? [] : [endpointResult(name, figures)];
  });
  return [endpointResult('all', all), ...each];
}

function endpointResult(name: string, figures: EndpointFigures): EndpointResult {
  const { requests, errors, statuses, latency, service } = figures;
  return {
    name,
    requests,
    errors: { ...errors },
    statuses,
    latencyMs: percentilesOf(decodeAll([latency])),
    serviceMs: percentilesOf(decodeAll([service])),
    latencyHistogram: latency,
    serviceHistogram: service,
  };
}

/** Returns the figures over time of one endpoint, or of `all`; `stages` tell what was asked. */
export function series(
  {
    intervals,
    intervalMs,
    durationMs,
  }: Pick<Measurement, 'intervals' | 'intervalMs' | 'durationMs'>,
  endpoint: string,
  stages?: readonly Stage[],
): IntervalResult[] {
  const askedEndMs = stages === undefined ? 0 : 1000 * totalDurationS(stages);
  const lastMs = Math.max(durationMs, askedEndMs);
  return withoutStub(intervals, lastMs - intervalMs / 2).map((group) => {
    const [interval] = group;
    const parts = group.flatMap((each) => partsOf(each, endpoint));
    const requests = parts.reduce((sum, part) => sum + part.requests, 0);
    const errors = parts.flatMap((part) => Object.values(part.errors));
    const unsent = parts.reduce((sum, part) => sum + (part.errors.unsent ?? 0), 0);
    // The last interval may be cut short, or be longer by the stub: its rate is over the time it really had.
    const lastStartMs = group[group.length - 1]?.startMs ?? interval.startMs;
    const endMs = Math.min(lastStartMs + intervalMs, lastMs);
    const lengthS = Math.max(1, endMs - interval.startMs) / 1000;
    const asked =
      stages === undefined || endpoint !== 'all'
        ? undefined
        : askedBetween(stages, interval.startMs / 1000, endMs / 1000) / lengthS;
    return {
      startS: interval.startMs / 1000,
      ...(asked === undefined ? {} : { asked }),
      reached: (requests - unsent) / lengthS,
      requests,
      errors: errors.reduce((sum, count) => sum + count, 0),
      ...percentilesOf(decodeAll(parts.map(({ latency }) => latency))),
    };
  });
}

/** Returns how many requests of a schedule are due in a stretch of it, in seconds after the start. */
export function askedBetween(stages: readonly Stage[], fromS: number, toS: number): number {
  return askedUntil(stages, toS) - askedUntil(stages, fromS);
}

function askedUntil(stages: readonly Stage[], untilS: number): number {
  let asked = 0;
  let startS = 0;
  for (const stage of stages) {
    const durationS = Math.min(stage.durationS, untilS - startS);
    if (durationS <= 0) break;
    const toRate = stage.fromRate + ((stage.toRate - stage.fromRate) * durationS) / stage.durationS;
    asked += ((stage.fromRate + toRate) / 2) * durationS;
    startS += stage.durationS;
  }
  return Math.min(asked, requestCount(stages));
}

// A last interval of a few milliseconds would show a rate of thousands: it joins the one before.
function withoutStub(
  intervals: readonly IntervalFigures[],
  stubFromMs: number,
): [IntervalFigures, ...IntervalFigures[]][] {
  const groups: [IntervalFigures, ...IntervalFigures[]][] = [];
  for (const interval of intervals) {
    const before = groups[groups.length - 1];
    if (before !== undefined && interval.startMs > stubFromMs) before.push(interval);
    else groups.push([interval]);
  }
  return groups;
}

function partsOf({ endpoints }: IntervalFigures, endpoint: string) {
  if (endpoint === 'all') return Object.values(endpoints);
  const part = endpoints[endpoint];
  return part === undefined ? [] : [part];
}
