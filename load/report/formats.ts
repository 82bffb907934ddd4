import { renderMarkdown } from '../../conformance/output/markdown.ts';
import type { ReportFormats, ReportOption } from '../../conformance/output/report-option.ts';
import { renderText } from '../../conformance/output/text.ts';
import type { LoadResult } from '../model/load-result.ts';
import { writeLoadHtml } from './html.ts';
import { writeLoadJunit } from './junit.ts';
import { loadDocument } from './load-document.ts';

/** The formats in which a load run is reported. */
export const LOAD_FORMATS = {
  text: {
    write: (result: LoadResult, colour?: boolean) => renderText(loadDocument(result), colour),
    defaultPath: '-',
  },
  json: { write: writeLoadJson, defaultPath: 'reports/swapcheck-load.json' },
  junit: { write: writeLoadJunit, defaultPath: 'reports/swapcheck-load.xml' },
  markdown: {
    write: (result) => renderMarkdown(loadDocument(result)),
    defaultPath: 'reports/swapcheck-load.md',
  },
  html: { write: writeLoadHtml, defaultPath: 'reports/swapcheck-load.html' },
} as const satisfies ReportFormats<LoadResult>;

/** One such report to write. */
export type LoadReportRequest = ReportOption<keyof typeof LOAD_FORMATS>;

function writeLoadJson(result: LoadResult): string {
  return `${JSON.stringify(result, undefined, 2)}\n`;
}
