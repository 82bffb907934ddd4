import type { Document } from '../../conformance/output/document.ts';
import { renderMarkdown } from '../../conformance/output/markdown.ts';
import type { ReportFormats, ReportOption } from '../../conformance/output/report-option.ts';
import { renderText } from '../../conformance/output/text.ts';
import type { ReportComparison } from '../../conformance/report/compare.ts';
import { comparisonDocument } from '../../conformance/report/comparison-document.ts';
import type { LoadComparison } from './comparison.ts';
import { loadComparisonDocument } from './comparison-document.ts';

/** What two JSON reports make: of load, or of conformance. */
export type Comparison =
  | LoadComparison
  | ({
      readonly kind: 'conformance-comparison';
      /** `failed`: a rule newly fails. */
      readonly verdict: 'passed' | 'failed';
    } & ReportComparison);

/** The formats in which a comparison is reported. */
export const COMPARISON_FORMATS = {
  text: {
    defaultPath: '-',
    write: (comparison: Comparison, colour?: boolean) => renderText(documentOf(comparison), colour),
  },
  json: {
    defaultPath: 'reports/swapcheck-compare.json',
    write: (comparison) => `${JSON.stringify(comparison, undefined, 2)}\n`,
  },
  markdown: {
    defaultPath: 'reports/swapcheck-compare.md',
    write: (comparison) => renderMarkdown(documentOf(comparison)),
  },
} as const satisfies ReportFormats<Comparison>;

/** One such report to write. */
export type ComparisonReportRequest = ReportOption<keyof typeof COMPARISON_FORMATS>;

function documentOf(comparison: Comparison): Document {
  return comparison.kind === 'load-comparison'
    ? loadComparisonDocument(comparison)
    : comparisonDocument(comparison);
}
