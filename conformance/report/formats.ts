import type { Report } from '../model/report.ts';
import type { ReportFormats, ReportOption } from '../output/report-option.ts';
import { writeHtml } from './html.ts';
import { writeJson } from './json.ts';
import { writeJunit } from './junit.ts';
import { writeMarkdown } from './markdown.ts';
import { writeSarif } from './sarif.ts';
import { writeText } from './text.ts';

/** The formats in which a service is reported on. */
export const REPORT_FORMATS = {
  text: { write: writeText, defaultPath: '-' },
  json: { write: writeJson, defaultPath: 'reports/swapcheck.json' },
  junit: { write: writeJunit, defaultPath: 'reports/swapcheck.xml' },
  markdown: { write: writeMarkdown, defaultPath: 'reports/swapcheck.md' },
  sarif: { write: writeSarif, defaultPath: 'reports/swapcheck.sarif' },
  html: { write: writeHtml, defaultPath: 'reports/swapcheck.html' },
} as const satisfies ReportFormats<Report>;

/** One such report to write. */
export type ReportRequest = ReportOption<keyof typeof REPORT_FORMATS>;
