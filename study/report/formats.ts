import { commonFormats, type ReportFormats } from '../../conformance/output/report-formats.ts';
import type { StudyReport } from '../model/study-report.ts';

export const STUDY_FORMATS = {
  ...commonFormats<StudyReport>(
    'reports/swapcheck-study',
    async () => (await import('./study-document.ts')).studyDocument,
  ),
  csv: { path: 'reports/swapcheck-study.csv', load: () => import('./csv.ts') },
  html: { path: 'reports/swapcheck-study.html', load: () => import('./html.ts') },
} as const satisfies ReportFormats<StudyReport>;
