import type { Report } from '../model/report.ts';
import { renderMarkdown } from '../output/markdown.ts';
import type { ReportFormats, ReportOption } from '../output/report-option.ts';
import { renderText } from '../output/text.ts';
import { writeHtml } from './html.ts';
import { writeJson } from './json.ts';
import { writeJunit } from './junit.ts';
import { reportDocument } from './report-document.ts';
import { writeSarif } from './sarif.ts';

/** The formats in which a service is reported on. */
export const REPORT_FORMATS = {
  text: {
    write: (report: Report, colour?: boolean) => renderText(reportDocument(report), colour),
    defaultPath: '-',
  },
  json: { write: writeJson, defaultPath: 'reports/swapcheck.json' },
  junit: { write: writeJunit, defaultPath: 'reports/swapcheck.xml' },
  markdown: {
    write: (report) => renderMarkdown(reportDocument(report)),
    defaultPath: 'reports/swapcheck.md',
  },
  sarif: { write: writeSarif, defaultPath: 'reports/swapcheck.sarif' },
  html: { write: writeHtml, defaultPath: 'reports/swapcheck.html' },
} as const satisfies ReportFormats<Report>;

/** One such report to write. */
export type ReportRequest = ReportOption<keyof typeof REPORT_FORMATS>;
