import { createRequire } from 'node:module';
import type { Builder } from 'junit-report-builder';
import { printable } from '../../conformance/output/printable.ts';
import type { LoadResult } from '../model/load-result.ts';
import { describeCrossing, showThreshold } from '../thresholds/describe-threshold.ts';
import { judgedLine } from './describe-run.ts';

// The package is CommonJS and exports the builder itself, which its types call `default`.
const junit: Builder = createRequire(import.meta.url)('junit-report-builder');

/** Returns the result as JUnit XML: a case a threshold, a case a broken rule, and one for the run itself. */
export function write(result: LoadResult): string {
  const { profile, thresholds, samples, verdict, reason } = result;
  const builder = junit.newBuilder().name(`swapcheck load ${printable(result.target)}`);
  const suite = builder
    .testSuite()
    .name(`load ${printable(profile.name)}`)
    .timestamp(result.startedAt)
    .time(result.durationMs / 1000);
  const run = suite.testCase().className('swapcheck.load').name('the run is complete and valid');
  run.property('judged', judgedLine(result));
  if (verdict === 'invalid' || verdict === 'incomplete') run.error(printable(reason), verdict);
  for (const threshold of thresholds) {
    const { name, bound, actual } = showThreshold(threshold);
    const testCase = suite
      .testCase()
      .className('swapcheck.load.thresholds')
      .name(printable(`${name} ${bound}`))
      .property('actual', printable(actual));
    if (!threshold.held) testCase.failure(printable(describeCrossing(threshold)), 'threshold');
  }
  for (const { rule, clause, expected, actual, target, excerpt, count } of samples.findings) {
    suite
      .testCase()
      .className('swapcheck.load.replies')
      .name(printable(rule))
      .property('clause', printable(clause))
      .failure(printable(`${expected}; was ${actual}`, 500), 'reply')
      .stacktrace(
        [`Seen: ${count} times`, `Request: ${printable(target)}`, `Reply: ${printable(excerpt)}`]
          .join('\n')
          .replaceAll(']]>', ']]\\u{3e}'),
      );
  }
  return builder.build();
}
