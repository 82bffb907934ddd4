import type { Report } from '../model/report.ts';
import { commonFormats, type ReportFormats } from '../output/report-formats.ts';

export const REPORT_FORMATS = {
  ...commonFormats<Report>(
    'reports/swapcheck',
    async () => (await import('./report-document.ts')).reportDocument,
  ),
  junit: { path: 'reports/swapcheck.xml', load: () => import('./junit.ts') },
  sarif: { path: 'reports/swapcheck.sarif', load: () => import('./sarif.ts') },
  annotations: {
    path: 'reports/swapcheck.annotations.txt',
    load: () => import('./annotations.ts'),
  },
  html: { path: 'reports/swapcheck.html', load: () => import('./html.ts') },
} as const satisfies ReportFormats<Report>;
