import { counted } from '../../conformance/contract/counted.ts';
import { formatCount, formatMs, formatShare } from '../../conformance/output/units.ts';
import { PERCENTILES } from '../model/histogram.ts';
import type { EndpointResult, LoadResult } from '../model/load-result.ts';
import { failuresOf } from '../model/metrics.ts';

/**
 * Returns the errors of one endpoint, or of all endpoints, as text.
 * @example
 * formatErrors('swap', endpoints) // 'status 429 (80), timeout (3)'
 */
export function formatErrors(name: string, endpoints: readonly EndpointResult[]): string {
  const selected = endpoints.filter((each) =>
    name === 'all' ? each.name !== 'all' : each.name === name,
  );
  const failures = failuresOf(Object.fromEntries(selected.map((each) => [each.name, each])));
  return failures.map(([cause, count]) => `${cause} (${count})`).join(', ') || 'none';
}

/**
 * Returns a percentile in milliseconds. A percentile is in brackets if it is uncertain, because
 * fewer than one request is expected beyond it.
 * @example formatLatency({ ...endpoint, requests: 200 }, 'p99.9') // '(38.1)'
 */
export function formatLatency(
  { requests, latencyMs }: EndpointResult,
  name: keyof typeof PERCENTILES,
): string {
  const shown = formatMs(latencyMs[name]);
  return requests * (1 - PERCENTILES[name] / 100) < 1 ? `(${shown})` : shown;
}

/** Explains the brackets of `formatLatency`. */
export const BRACKETS_NOTE =
  'Values in brackets are uncertain: less than one request lies beyond them.';

export function workloadLine({ profile, warmUpS, seed, parts }: LoadResult): string {
  const { workload, connections, processes } = profile;
  const model = {
    open: () => {
      const { stages } = workload as Extract<typeof workload, { model: 'open' }>;
      const parts = stages.map(
        ({ durationS, rate, shape }) =>
          `${shape === 'ramp' ? 'to ' : ''}${rounded(rate)}/s for ${rounded(durationS)} s`,
      );
      return `open model: ${parts.join(', ')}`;
    },
    closed: () => `closed model: as fast as the connections allow`,
    breakpoint: () => 'a search for the highest rate at which the thresholds hold',
  }[workload.model]();
  const clients = `${connections} connections, ${counted(processes, 'client process', 'client processes')}`;
  const times = parts === undefined ? '' : `each of ${parts.length} runs: `;
  return `${times}${model}; ${clients}, ${warmUpS} s of warm-up, seed ${seed}`;
}

/** Scaled stages have numbers with many digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Returns one line for each of the runs that were merged into a result. */
export function partLines({ parts = [] }: LoadResult): string[] {
  const firstMs = Math.min(...parts.map(({ startedAt }) => Date.parse(startedAt)));
  return parts.map(({ source, target, requests, verdict, startedAt, node }) => {
    const afterS = (Date.parse(startedAt) - firstMs) / 1000;
    const began = afterS === 0 ? 'began first' : `began ${afterS.toFixed(1)} s later`;
    return `${source}: ${counted(formatCount(requests), 'request')} to ${target}, ${verdict} by itself, ${began}, node ${node}`;
  });
}

export function rateLine({ rateRequested, rateReached }: LoadResult): string {
  const reached = rateReached.toFixed(1);
  if (rateRequested === undefined) return `${reached} requests per second`;
  const share = formatShare(rateRequested === 0 ? 0 : rateReached / rateRequested);
  return `${reached} of ${rateRequested.toFixed(1)} requests per second (${share})`;
}

export function clientLine({ client, profile }: LoadResult): string {
  const { cpu, processes, lagP99Ms, lagMaxMs, cores, node, engine } = client;
  const machine = `${cores} cores, node ${node}`;
  const lag =
    profile.workload.model === 'closed'
      ? ''
      : `; 99% of the requests were sent at most ${formatMs(lagP99Ms)} ms late, the latest ${formatMs(lagMaxMs)} ms`;
  if (cpu.length === 0) return engine === undefined ? machine : `run by ${engine}${lag}`;
  const busiest =
    processes === 1 ? 'the client process' : `the busiest of ${processes} client processes`;
  return `${busiest} used ${formatShare(Math.max(...cpu))} of a core${lag}; ${machine}`;
}

/**
 * Returns the number of requests that were sent again, and the reason. Undefined if there are none.
 */
export function sentAgainLine({ sentAgain }: LoadResult): string | undefined {
  if (sentAgain === 0) return undefined;
  return `${counted(sentAgain, 'request')} on a new connection, because the service had closed the idle connection`;
}

/** Returns the properties of the service in one line. */
export function serviceLine({ service }: LoadResult): string {
  const place =
    service?.kind === 'child'
      ? 'the reference, in a separate process on this machine'
      : 'another process or machine, known only by its replies';
  const idle =
    service?.idleMs === undefined
      ? ''
      : `; a lookup before the run took ${formatMs(service.idleMs)} ms`;
  const software =
    service?.software === undefined ? '' : `; its server header is ${service.software}`;
  return place + software + idle;
}

/** Returns the number of judged replies and, with `--judge all`, their share. */
export function judgedLine({ samples: { judged, omitted } }: LoadResult): string {
  const replies = counted(formatCount(judged), 'reply', 'replies');
  if (omitted === undefined) return replies;
  // Rounds down, so that 100% means all.
  const share = judged === 0 ? 0 : Math.floor((1000 * judged) / (judged + omitted)) / 10;
  return `${replies}, ${share}% of all received`;
}
