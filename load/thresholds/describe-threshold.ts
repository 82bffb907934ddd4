import { formatMs, formatShare } from '../../conformance/output/units.ts';
import type { ThresholdResult } from '../model/load-result.ts';
import { isShare } from '../model/metrics.ts';

/** Returns the name, bound and measured value of a threshold as text. */
export function formatThreshold({ metric, endpoint, min, max, actual }: ThresholdResult): {
  readonly name: string;
  readonly bound: string;
  readonly actual: string;
} {
  const format = (value: number): string => {
    if (metric === 'wrong') return String(value);
    if (isShare(metric)) return formatShare(value);
    return `${formatMs(value)} ms`;
  };
  const bounds = [
    ...(max === undefined ? [] : [`at most ${format(max)}`]),
    ...(min === undefined ? [] : [`at least ${format(min)}`]),
  ];
  return {
    name: endpoint === 'all' ? metric : `${endpoint}: ${metric}`,
    bound: bounds.join(' and '),
    actual: actual === undefined ? 'not measured' : format(actual),
  };
}

/**
 * Returns a sentence on a threshold that did not hold, with its name, excess and first crossing.
 * The excess of a share is in percentage points.
 * @example
 * 'p99 of swap is 312 ms: at most 250 ms allowed, crossed by 62 ms (25%), first at 12 s'
 */
export function describeCrossing(result: ThresholdResult): string {
  const { metric, endpoint, actual, max, min } = result;
  const bound = crossedBound(result);
  const format = (value: number | undefined): string => formatExact(metric, value);
  const limit =
    bound === max ? `at most ${format(max)} allowed` : `at least ${format(min)} required`;
  const name = `${metric} of ${endpoint === 'all' ? 'all requests' : endpoint}`;
  if (actual === undefined) return `${name} was not measured: ${limit}`;
  return `${name} is ${format(actual)}: ${limit}, ${describeExcess(result)}`;
}

/**
 * Returns the excess of a metric over its bound, and the first crossing.
 *
 * @example
 * 'crossed by 62 ms (25%), first at 12 s'
 */
function describeExcess(result: ThresholdResult): string {
  const { metric, actual = 0, firstCrossedS } = result;
  const when = firstCrossedS === undefined ? '' : `, first at ${firstCrossedS} s`;
  return `crossed by ${formatExcess(metric, actual, crossedBound(result) ?? 0)}${when}`;
}

function crossedBound({ actual, max, min }: ThresholdResult): number | undefined {
  return max !== undefined && (actual === undefined || actual > max) ? max : min;
}

function formatExcess(metric: string, actual: number, bound: number): string {
  const by = Math.abs(actual - bound);
  if (isShare(metric)) return `${Number((100 * by).toPrecision(4))} points`;
  const share = bound > 0 ? ` (${((100 * by) / bound).toFixed(by / bound < 0.1 ? 1 : 0)}%)` : '';
  return formatExact(metric, by) + share;
}

function formatExact(metric: string, value: number | undefined): string {
  if (value === undefined) return '?';
  if (metric === 'wrong') return String(value);
  if (isShare(metric)) return `${Number((100 * value).toPrecision(4))}%`;
  return `${Number(value.toPrecision(4))} ms`;
}
