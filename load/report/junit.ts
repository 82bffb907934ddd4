import { type JunitCase, writeJunit } from '../../conformance/output/junit.ts';
import { printable } from '../../conformance/output/printable.ts';
import type { LoadResult } from '../model/load-result.ts';
import { describeCrossing, formatThreshold } from '../thresholds/describe-threshold.ts';
import { judgedLine } from './describe-run.ts';

/**
 * Returns the result as JUnit XML: one case per threshold, one per broken rule, and one for the run
 * itself.
 */
export function write(result: LoadResult): string {
  const { profile, target, startedAt } = result;
  const cases = [runCase(result), ...thresholdCases(result), ...replyCases(result)];
  return writeJunit(`swapcheck load ${printable(target)}`, [
    { name: `load ${printable(profile.name)}`, startedAt, cases },
  ]);
}

function runCase(result: LoadResult): JunitCase {
  const { verdict, reason, durationMs } = result;
  return {
    className: 'swapcheck.load',
    name: 'the run is complete and valid',
    timeS: durationMs / 1000,
    about: `judged: ${judgedLine(result)}`,
    ...((verdict === 'invalid' || verdict === 'incomplete') && {
      outcome: { kind: 'error', type: verdict, message: reason },
    }),
  };
}

function thresholdCases({ thresholds }: LoadResult): JunitCase[] {
  return thresholds.map((threshold) => {
    const { name, bound, actual } = formatThreshold(threshold);
    return {
      className: 'swapcheck.load.thresholds',
      name: `${name} ${bound}`,
      about: `measured: ${actual}`,
      ...(!threshold.held && {
        outcome: {
          // If a metric could not be measured, the case for the run itself reports the error.
          kind: threshold.actual === undefined ? 'skipped' : 'failure',
          type: 'threshold',
          message: describeCrossing(threshold),
        },
      }),
    };
  });
}

function replyCases({ samples }: LoadResult): JunitCase[] {
  return samples.findings.map(({ rule, clause, expected, actual, target, excerpt, count }) => ({
    className: 'swapcheck.load.replies',
    name: rule,
    about: `clause: ${clause}`,
    outcome: {
      kind: 'failure',
      type: 'reply',
      message: `expected ${expected}, got ${actual}`,
      text: [
        `Seen: ${count} times`,
        `Request: ${printable(target)}`,
        `Reply: ${printable(excerpt)}`,
      ].join('\n'),
    },
  }));
}
