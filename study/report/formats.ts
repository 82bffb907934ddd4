import { commonFormats, type ReportFormats } from '../../conformance/output/report-formats.ts';
import type { TextStyle } from '../../conformance/output/text.ts';
import type { StudyReport } from '../model/study-report.ts';

export const STUDY_FORMATS = {
  ...commonFormats<StudyReport>(
    'reports/swapcheck-study',
    async () => (await import('./study-document.ts')).studyDocument,
  ),
  text: {
    path: '-',
    load: async () => {
      const [{ studyDocument }, { renderText }] = await Promise.all([
        import('./study-document.ts'),
        import('../../conformance/output/text.ts'),
      ]);
      return {
        // The tables fill several screens, so the verdict is shown at both ends.
        write: (report: StudyReport, style?: TextStyle) => {
          const document = studyDocument(report);
          return `${renderText(document.slice(0, 1), style)}\n${renderText(document, style)}`;
        },
      };
    },
  },
  csv: { path: 'reports/swapcheck-study.csv', load: () => import('./csv.ts') },
  html: { path: 'reports/swapcheck-study.html', load: () => import('./html.ts') },
} as const satisfies ReportFormats<StudyReport>;
