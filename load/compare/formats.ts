import type { ReportFormats, ReportOption } from '../../conformance/output/report-option.ts';
import type { ReportComparison } from '../../conformance/report/compare.ts';
import { writeComparisonMarkdown } from '../../conformance/report/compare-markdown.ts';
import { writeComparison } from '../../conformance/report/compare-text.ts';
import type { LoadComparison } from './comparison.ts';
import { writeLoadComparisonMarkdown } from './comparison-markdown.ts';
import { writeLoadComparisonText } from './comparison-text.ts';

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
    write: (comparison, colour) =>
      comparison.kind === 'load-comparison'
        ? writeLoadComparisonText(comparison, colour)
        : writeComparison(comparison, colour),
  },
  json: {
    defaultPath: 'reports/swapcheck-compare.json',
    write: (comparison) => `${JSON.stringify(comparison, undefined, 2)}\n`,
  },
  markdown: {
    defaultPath: 'reports/swapcheck-compare.md',
    write: (comparison) =>
      comparison.kind === 'load-comparison'
        ? writeLoadComparisonMarkdown(comparison)
        : writeComparisonMarkdown(comparison),
  },
} as const satisfies ReportFormats<Comparison>;

/** One such report to write. */
export type ComparisonReportRequest = ReportOption<keyof typeof COMPARISON_FORMATS>;
