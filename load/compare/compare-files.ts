import { readFileSync } from 'node:fs';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { compareReports, comparisonVerdict } from '../../conformance/report/compare.ts';
import { readReport } from '../../conformance/report/read-report.ts';
import { compareLoad } from './compare-load.ts';
import { concludeComparison } from './comparison.ts';
import { DEFAULT_FAIL_IF, type FailIf } from './fail-if.ts';
import type { Comparison } from './formats.ts';
import { isLoadResult, readLoadResult } from './read-load-result.ts';

/**
 * Returns the comparison of two JSON reports, of load or of conformance by what they hold.
 *
 * @param bounds - How much worse figures of load may become; undefined, the usual ones.
 * @throws {UsageError} for files that cannot be read or be compared
 * @throws {NotAReportError} for a file that holds neither
 * @throws {NotALoadResultError} for a load result that is not whole
 */
export function compareFiles(
  basePath: string,
  headPath: string,
  bounds: readonly FailIf[] | undefined,
): Comparison {
  const [baseText, headText] = [read(basePath), read(headPath)];
  const areLoad = isLoadResult(baseText);
  if (areLoad !== isLoadResult(headText)) {
    throw new UsageError(
      `${basePath} and ${headPath} cannot be compared: one is a load result, the other is not`,
    );
  }
  if (areLoad) {
    const [base, head] = [readLoadResult(baseText, basePath), readLoadResult(headText, headPath)];
    return concludeComparison({
      method: 'bootstrap',
      base,
      head,
      changes: compareLoad(base, head),
      bounds: bounds ?? DEFAULT_FAIL_IF,
    });
  }
  const comparison = compareReports(readReport(baseText, basePath), readReport(headText, headPath));
  if (bounds !== undefined) throw new UsageError('--fail-if bounds figures of load alone');
  return {
    kind: 'conformance-comparison',
    verdict: comparisonVerdict(comparison),
    ...comparison,
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(
      `${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}
