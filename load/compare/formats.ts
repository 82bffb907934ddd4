import type { Document } from '../../conformance/output/document.ts';
import { commonFormats, type ReportFormats } from '../../conformance/output/report-formats.ts';

/** A comparison of any kind. */
export type Comparison = {
  readonly verdict: 'passed' | 'failed' | 'incomplete';
  readonly reason: string;
  /** Content of the comparison's JSON. */
  readonly data: object;
  readonly document: Document;
};

export const COMPARISON_FORMATS = {
  ...commonFormats<Comparison>(
    'reports/swapcheck-compare',
    async () => (comparison) => comparison.document,
    ({ data }) => data,
  ),
  html: {
    path: 'reports/swapcheck-compare.html',
    load: async () => {
      const { writeDocumentPage } = await import('../../conformance/output/document-page.ts');
      return {
        write: ({ verdict, document }) =>
          writeDocumentPage(`${verdict}: comparison`, document, 'Written by swapcheck compare.'),
      };
    },
  },
} as const satisfies ReportFormats<Comparison>;
