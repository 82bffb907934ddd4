import { writeHtml } from './html.ts';
import { writeJson } from './json.ts';
import { writeJunit } from './junit.ts';
import { writeMarkdown } from './markdown.ts';
import type { Report } from './report.ts';
import { writeSarif } from './sarif.ts';
import { writeText } from './text.ts';

/** The formats of `--report`, each with its writer and the path it takes when none is named. */
export const REPORT_FORMATS = {
  text: { write: writeText, defaultPath: '-' },
  json: { write: writeJson, defaultPath: 'reports/swapcheck.json' },
  junit: { write: writeJunit, defaultPath: 'reports/swapcheck.xml' },
  markdown: { write: writeMarkdown, defaultPath: 'reports/swapcheck.md' },
  sarif: { write: writeSarif, defaultPath: 'reports/swapcheck.sarif' },
  html: { write: writeHtml, defaultPath: 'reports/swapcheck.html' },
} as const satisfies Record<
  string,
  { write: (report: Report, colour?: boolean) => string; defaultPath: string }
>;

/** A format of `--report`. */
export type ReportFormat = keyof typeof REPORT_FORMATS;

/** One report to write; the path `-` is standard output. */
export type ReportRequest = { readonly format: ReportFormat; readonly path: string };

/**
 * Returns what `--report FORMAT[=PATH]` asks for.
 *
 * @throws ReportOptionError for an unknown format or an empty path.
 * @example parseReportOption('json') // { format: 'json', path: 'reports/swapcheck.json' }
 */
export function parseReportOption(text: string): ReportRequest {
  const [format = '', ...rest] = text.split('=');
  if (!isFormat(format)) {
    const known = Object.keys(REPORT_FORMATS).join(', ');
    throw new ReportOptionError(
      `--report ${text}: there is no format "${format}"; it is one of ${known}`,
    );
  }
  if (rest.length === 0) return { format, path: REPORT_FORMATS[format].defaultPath };
  const path = rest.join('=');
  if (path === '') {
    throw new ReportOptionError(
      `--report ${text}: a path is missing after "="; "-" is standard output`,
    );
  }
  return { format, path };
}

function isFormat(text: string): text is ReportFormat {
  return Object.hasOwn(REPORT_FORMATS, text);
}

/** A `--report` that cannot be understood. */
export class ReportOptionError extends Error {
  override readonly name = 'ReportOptionError';
}
