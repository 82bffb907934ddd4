import type { Profile } from '../model/profile.ts';

/**
 * `open`: requests are sent on a schedule that does not wait for replies. `closed`: requests are
 * sent as fast as the connections allow.
 */
export type Workload =
  | { readonly model: 'open'; readonly stages: readonly Stage[] }
  | { readonly model: 'closed'; readonly durationS: number };

/**
 * A stage of a profile: the rate changes linearly from `fromRate` to `toRate`, in requests per
 * second.
 */
export type Stage = {
  readonly durationS: number;
  readonly fromRate: number;
  readonly toRate: number;
};

/**
 * Returns a profile's stages, each with its rate at the start and at the end. A ramp starts at the
 * rate of the previous stage.
 */
export function openStages(stages: OpenWorkload['stages']): Stage[] {
  let rateBefore = 0;
  return stages.map(({ durationS, rate, shape }) => {
    const stage = { durationS, fromRate: shape === 'ramp' ? rateBefore : rate, toRate: rate };
    rateBefore = rate;
    return stage;
  });
}

/** A process's share of the requests: process `index` of `count` sends every `count`-th request. */
export type Share = { readonly index: number; readonly count: number };

/**
 * Yields the due time of each request, in milliseconds after the start: request n is due when the
 * area under the rate reaches n. With a share, yields only the due times of that process. Together,
 * the shares make up the whole schedule.
 * @example
 * [...dueTimes([{ durationS: 1, fromRate: 4, toRate: 4 }])] // [0, 250, 500, 750]
 */
export function* dueTimes(
  stages: readonly Stage[],
  share: Share = { index: 0, count: 1 },
): Generator<number, void> {
  let n = share.index;
  let areaBefore = 0;
  let stageStartS = 0;
  for (const stage of stages) {
    const area = stageArea(stage);
    for (; n < areaBefore + area - 1e-9; n += share.count) {
      yield (stageStartS + timeOfArea(stage, n - areaBefore)) * 1000;
    }
    areaBefore += area;
    stageStartS += stage.durationS;
  }
}

/** Returns the number of requests in the stages. */
export function requestCount(stages: readonly Stage[]): number {
  return Math.ceil(stages.reduce((sum, stage) => sum + stageArea(stage), 0) - 1e-9);
}

/** Returns the total length of the stages in seconds. */
export function totalDurationS(stages: readonly Stage[]): number {
  return stages.reduce((sum, stage) => sum + stage.durationS, 0);
}

/**
 * Returns the expected number of requests in an interval of a schedule, including fractions. The
 * interval is in seconds after the start.
 */
export function requestedBetween(stages: readonly Stage[], fromS: number, toS: number): number {
  return requestedUntil(stages, toS) - requestedUntil(stages, fromS);
}

/** Returns the number of requests that are due in an interval of a schedule. */
export function dueBetween(stages: readonly Stage[], fromS: number, toS: number): number {
  const before = (untilS: number): number => Math.ceil(requestedUntil(stages, untilS) - 1e-9);
  return before(toS) - before(fromS);
}

function requestedUntil(stages: readonly Stage[], untilS: number): number {
  let requested = 0;
  let startS = 0;
  for (const stage of stages) {
    const durationS = Math.min(stage.durationS, untilS - startS);
    if (durationS <= 0) break;
    const toRate = stage.fromRate + ((stage.toRate - stage.fromRate) * durationS) / stage.durationS;
    requested += ((stage.fromRate + toRate) / 2) * durationS;
    startS += stage.durationS;
  }
  return Math.min(requested, requestCount(stages));
}

function stageArea(stage: Stage): number {
  return ((stage.fromRate + stage.toRate) / 2) * stage.durationS;
}

// Solves fromRate*t + slope*t^2/2 = area, without loss of precision for small slopes.
function timeOfArea(stage: Stage, area: number): number {
  const slope = (stage.toRate - stage.fromRate) / stage.durationS;
  const root = Math.sqrt(Math.max(0, stage.fromRate ** 2 + 2 * slope * area));
  const divisor = stage.fromRate + root;
  return divisor === 0 ? 0 : (2 * area) / divisor;
}

type OpenWorkload = Extract<Profile['workload'], { model: 'open' }>;
