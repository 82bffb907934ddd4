import type { Document } from '../../conformance/output/document.ts';
import { commonFormats } from '../../conformance/output/report-formats.ts';

/** A comparison of whatever kind. */
export type Comparison = {
  readonly verdict: 'passed' | 'failed' | 'incomplete';
  readonly reason: string;
  /** What its JSON holds. */
  readonly data: object;
  readonly document: Document;
};

export const COMPARISON_FORMATS = commonFormats<Comparison>(
  'reports/swapcheck-compare',
  async () => (comparison) => comparison.document,
  ({ data }) => data,
);
