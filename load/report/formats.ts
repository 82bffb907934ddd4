import { commonFormats, type ReportFormats } from '../../conformance/output/report-formats.ts';
import type { LoadResult } from '../model/load-result.ts';

export const LOAD_FORMATS = {
  ...commonFormats<LoadResult>(
    'reports/swapcheck-load',
    async () => (await import('./load-document.ts')).loadDocument,
  ),
  junit: { path: 'reports/swapcheck-load.xml', load: () => import('./junit.ts') },
  html: { path: 'reports/swapcheck-load.html', load: () => import('./html.ts') },
} as const satisfies ReportFormats<LoadResult>;
