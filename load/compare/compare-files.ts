import { parseJson } from '../../conformance/output/json-reader.ts';
import { readText } from '../../conformance/output/read-file.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { isLoadResult, readLoadResult } from '../result/read-result.ts';
import { DEFAULT_BOUNDS, type RegressionBound } from './change.ts';
import { compareLoad } from './compare-load.ts';
import { concludeComparison } from './comparison.ts';
import { reportable } from './comparison-document.ts';
import type { Comparison } from './formats.ts';

/** Compares two reports other than load results, each given by its text and its source. */
export type CompareReports = (
  base: readonly [text: string, source: string],
  head: readonly [text: string, source: string],
) => Comparison | Promise<Comparison>;

/**
 * Returns the comparison of two JSON reports. Load results are compared here, other reports by
 * `compareReports`.
 * @param bounds - Maximum deterioration of load metrics; undefined for the default bounds.
 * @throws {UsageError} for files that cannot be read or compared
 */
export async function compareFiles(
  basePath: string,
  headPath: string,
  bounds: readonly RegressionBound[] | undefined,
  compareReports: CompareReports,
): Promise<Comparison> {
  const [baseText, headText] = [readText(basePath), readText(headPath)];
  const areLoad = isLoadResult(baseText);
  if (areLoad !== isLoadResult(headText)) {
    // A truncated file seems to be of no kind, so parsing it first gives a better error.
    parseJson(baseText, basePath);
    parseJson(headText, headPath);
    throw new UsageError(
      `${basePath} and ${headPath} cannot be compared: one is a load result, the other is not`,
    );
  }
  if (!areLoad) {
    const comparison = await compareReports([baseText, basePath], [headText, headPath]);
    if (bounds !== undefined) throw new UsageError('--fail-if applies only to load results');
    return comparison;
  }
  const [base, head] = [readLoadResult(baseText, basePath), readLoadResult(headText, headPath)];
  return reportable(
    concludeComparison({
      method: 'two-runs',
      base,
      head,
      changes: compareLoad(base, head),
      bounds: bounds ?? DEFAULT_BOUNDS,
    }),
  );
}
