import { InvalidArgumentError } from 'commander';
import { METRICS } from '../model/metrics.ts';
import type { Threshold } from '../model/profile.ts';

/**
 * Returns the threshold that a line such as `p99<250` or `swap calldata:errors<0.1%` means.
 * Both `<` and `<=` allow the bound itself.
 *
 * @throws {InvalidArgumentError} for anything else
 * @example
 * parseThreshold('rate>99%') // { metric: 'rate', min: 0.99 }
 */
export function parseThreshold(text: string): Threshold {
  const [, endpoint, name, relation, digits, unit] = LINE.exec(text) ?? [];
  const metric = METRICS.find((each) => each === name);
  const bound = Number(digits) * (UNITS[unit ?? ''] ?? 1);
  if (metric === undefined || !Number.isFinite(bound)) {
    throw new InvalidArgumentError(
      `'${text}' is not a threshold: expected [ENDPOINT:]METRIC<BOUND or >BOUND, such as 'p99<250' or 'swap:errors<0.1%'; a metric is one of ${METRICS.join(', ')}`,
    );
  }
  return {
    metric,
    ...(endpoint === undefined || endpoint === 'all' ? {} : { endpoint }),
    ...(relation?.startsWith('<') ? { max: bound } : { min: bound }),
  };
}

const LINE = /^(?:([^:<>]+):)?\s*([a-z0-9.]+)\s*(<=?|>=?)\s*([0-9.]+)\s*(%|ms|s)?$/;
const UNITS: Readonly<Record<string, number>> = { '%': 0.01, ms: 1, s: 1000 };
