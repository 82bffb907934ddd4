import { InvalidArgumentError } from 'commander';
import { isShare, METRICS } from '../model/metrics.ts';
import type { Threshold } from '../model/profile.ts';

/**
 * Parses a threshold such as `p99<250` or `swap calldata:errors<0.1%`. Both `<` and
 * `<=` allow the bound itself. A share without `%` must be below 1, since `errors<1` could mean 1%
 * or 100%.
 *
 * @throws {InvalidArgumentError} for anything else
 * @example parseThreshold('rate>99%') // { metric: 'rate', min: 0.99 }
 */
export function parseThreshold(text: string): Threshold {
  const [, endpoint, name, relation, digits, unit] = LINE.exec(text) ?? [];
  const metric = METRICS.find((each) => each === name);
  if (metric === undefined || !Number.isFinite(Number(digits))) {
    throw new InvalidArgumentError(
      `'${text}' is not a threshold: expected [ENDPOINT:]METRIC<BOUND or >BOUND, such as 'p99<250' or 'swap:errors<0.1%'; a metric is one of ${METRICS.join(', ')}`,
    );
  }
  const { units, expected } = boundOf(metric);
  const bound = Number(digits) * (units[unit ?? ''] ?? Number.NaN);
  if (Number.isNaN(bound) || (isShare(metric) && !(unit === '%' ? bound <= 1 : bound < 1))) {
    throw new InvalidArgumentError(`'${text}' is not a threshold: expected ${expected}`);
  }
  return {
    metric,
    ...(endpoint === undefined || endpoint === 'all' ? {} : { endpoint }),
    ...(relation?.startsWith('<') ? { max: bound } : { min: bound }),
  };
}

const LINE = /^(?:([^:<>]+):)?\s*([a-z0-9.]+)\s*(<=?|>=?)\s*([0-9.]+)\s*(%|ms|s)?$/;

function boundOf(metric: Threshold['metric']): {
  readonly units: Readonly<Record<string, number>>;
  readonly expected: string;
} {
  if (metric === 'wrong') {
    return { units: { '': 1 }, expected: "a number of replies, such as 'wrong<5'" };
  }
  if (isShare(metric)) {
    const expected = `a share of at most 100%, such as '${metric}${metric === 'rate' ? '>99%' : '<0.1%'}'`;
    return { units: { '': 1, '%': 0.01 }, expected };
  }
  return {
    units: { '': 1, ms: 1, s: 1000 },
    expected: `milliseconds, or seconds with s, such as '${metric}<250'`,
  };
}
