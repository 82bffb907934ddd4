import type { EndpointResult, LoadResult, ThresholdResult } from './load-result.ts';

/**
 * Returns milliseconds as people read them.
 *
 * @example
 * showMs(0.4321) // '0.43'
 * showMs(1234.5) // '1235'
 */
export function showMs(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
}

/**
 * Returns a share as a percentage.
 *
 * @example
 * showShare(0.00123) // '0.12 %'
 */
export function showShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0 %';
  return percent < 0.01 ? '< 0.01 %' : `${percent.toFixed(percent < 10 ? 2 : 1)} %`;
}

/**
 * Returns a count with its thousands apart.
 *
 * @example
 * showCount(1234567) // '1,234,567'
 */
export function showCount(count: number): string {
  return count.toLocaleString('en-US');
}

/**
 * Returns a moment, given as ISO 8601, as people read it.
 *
 * @example
 * showMoment('2026-01-02T03:04:05.678Z') // '2026-01-02 03:04:05 UTC'
 */
export function showMoment(iso: string): string {
  return iso.replace(/^(.{10})T(.{8})(?:\.\d+)?Z$/, '$1 $2 UTC');
}

/**
 * Returns a length of time as people read it.
 *
 * @example
 * showDuration(61_000) // '61.0 s'
 * showDuration(3_600_000) // '60.0 min'
 */
export function showDuration(ms: number): string {
  const s = ms / 1000;
  return s < 120
    ? `${s.toFixed(1)} s`
    : s < 7200
      ? `${(s / 60).toFixed(1)} min`
      : `${(s / 3600).toFixed(2)} h`;
}

/** Returns a threshold's bound and figure in words. */
export function showThreshold({ metric, endpoint, min, max, actual }: ThresholdResult): {
  readonly name: string;
  readonly bound: string;
  readonly actual: string;
} {
  const show = (value: number): string => {
    if (metric === 'wrong') return String(value);
    if (metric === 'errors' || metric === 'rate') return showShare(value);
    return `${showMs(value)} ms`;
  };
  const bounds = [
    ...(max === undefined ? [] : [`at most ${show(max)}`]),
    ...(min === undefined ? [] : [`at least ${show(min)}`]),
  ];
  return {
    name: endpoint === 'all' ? metric : `${endpoint}: ${metric}`,
    bound: bounds.join(' and '),
    actual: actual === undefined ? 'not measured' : show(actual),
  };
}

/** Returns how many requests of an endpoint went wrong, whatever the cause. */
export function errorCount({ errors }: Pick<EndpointResult, 'errors'>): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

/**
 * Returns errors by kind in words.
 *
 * @example
 * showErrors({ timeout: 3, status: 1 }) // '3 timeout, 1 status'
 */
export function showErrors(errors: EndpointResult['errors']): string {
  const kinds = Object.entries(errors).filter(([, count]) => count > 0);
  return kinds.length === 0 ? 'none' : kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
}

/** Returns what was played, in one line. */
export function workloadLine({ profile, warmUpS, seed }: LoadResult): string {
  const { workload, connections, processes } = profile;
  const model = {
    open: () => {
      const { stages } = workload as Extract<typeof workload, { model: 'open' }>;
      const parts = stages.map(
        ({ durationS, rate, shape }) =>
          `${shape === 'ramp' ? 'to ' : ''}${rate}/s for ${durationS} s`,
      );
      return `open model: ${parts.join(', ')}`;
    },
    closed: () => `closed model: as fast as the connections go`,
    breakpoint: () => 'a search for the highest rate at which the thresholds hold',
  }[workload.model]();
  const clients = `${connections} connections, ${processes} client ${processes === 1 ? 'process' : 'processes'}`;
  return `${model}; ${clients}, ${warmUpS} s of warm-up left out, seed ${seed}`;
}

/** Returns the rate asked for and reached, in one line. */
export function rateLine({ rateAsked, rateReached }: LoadResult): string {
  const reached = `${rateReached.toFixed(1)} requests a second`;
  if (rateAsked === undefined) return reached;
  return `${reached} of ${rateAsked.toFixed(1)} asked for (${showShare(rateAsked === 0 ? 0 : rateReached / rateAsked)})`;
}

/** Returns the client's conditions, in one line. */
export function clientLine({ client, profile }: LoadResult): string {
  const { cpu, processes, lagP99Ms, lagMaxMs, cores, node } = client;
  const machine = `${cores} cores, node ${node}`;
  if (cpu.length === 0) return machine;
  const lag =
    profile.workload.model === 'closed'
      ? ''
      : `; requests left at most ${showMs(lagP99Ms)} ms late in 99 %, ${showMs(lagMaxMs)} ms at worst`;
  return `processor ${showShare(Math.max(...cpu))} of a core in the busiest of ${processes}${lag}; ${machine}`;
}

/** Returns what is known of the service's side, in one line. */
export function serviceLine({ service }: LoadResult): string {
  const place =
    service?.kind === 'child'
      ? 'the reference, in a process of its own on this machine'
      : 'another machine or process, known by its replies alone';
  const idle =
    service?.idleMs === undefined
      ? ''
      : `; a look-up before the load took ${showMs(service.idleMs)} ms`;
  const software = service?.software === undefined ? '' : `; says it is ${service.software}`;
  return place + software + idle;
}
