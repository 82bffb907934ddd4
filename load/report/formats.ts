import type { StandardOutput } from '../../conformance/report/write-reports.ts';
import { ReportWriteError, replaceFile } from '../../conformance/report/write-reports.ts';
import { writeLoadHtml } from './html.ts';
import { writeLoadJunit } from './junit.ts';
import type { LoadResult } from './load-result.ts';
import { writeLoadMarkdown } from './markdown.ts';
import { writeLoadText } from './text.ts';

/** The formats of `swapcheck load --report`, each with its writer and the path it takes when none is named. */
export const LOAD_FORMATS = {
  text: { write: writeLoadText, defaultPath: '-' },
  json: { write: writeLoadJson, defaultPath: 'reports/swapcheck-load.json' },
  junit: { write: writeLoadJunit, defaultPath: 'reports/swapcheck-load.xml' },
  markdown: { write: writeLoadMarkdown, defaultPath: 'reports/swapcheck-load.md' },
  html: { write: writeLoadHtml, defaultPath: 'reports/swapcheck-load.html' },
} as const satisfies Record<
  string,
  { write: (result: LoadResult, colour?: boolean) => string; defaultPath: string }
>;

/** One report to write; the path `-` is standard output. */
export type LoadReportRequest = {
  readonly format: keyof typeof LOAD_FORMATS;
  readonly path: string;
};

/**
 * Returns what `--report FORMAT[=PATH]` asks for.
 *
 * @throws {LoadReportOptionError} for an unknown format or an empty path
 */
export function parseLoadReport(text: string): LoadReportRequest {
  const [format = '', ...rest] = text.split('=');
  if (!Object.hasOwn(LOAD_FORMATS, format) || (rest.length > 0 && rest.join('=') === '')) {
    throw new LoadReportOptionError(
      `--report ${text}: expected FORMAT or FORMAT=PATH, with ${Object.keys(LOAD_FORMATS).join(', ')}`,
    );
  }
  const known = format as keyof typeof LOAD_FORMATS;
  return {
    format: known,
    path: rest.length === 0 ? LOAD_FORMATS[known].defaultPath : rest.join('='),
  };
}

/**
 * Writes every report asked for; one that cannot be written does not keep the others from it.
 *
 * @throws {ReportWriteError} after the last, when some could not be written
 */
export async function writeLoadReports(
  result: LoadResult,
  requests: readonly LoadReportRequest[],
  stdout: StandardOutput,
): Promise<void> {
  const failed: string[] = [];
  const causes: unknown[] = [];
  for (const { format, path } of requests) {
    try {
      const text = LOAD_FORMATS[format].write(result, path === '-' && stdout.colour);
      if (path === '-') stdout.write(text);
      else await replaceFile(path, text);
    } catch (cause) {
      failed.push(`${format} to ${path}: ${cause instanceof Error ? cause.message : cause}`);
      causes.push(cause);
    }
  }
  if (failed.length > 0) throw new ReportWriteError(failed, causes);
}

function writeLoadJson(result: LoadResult): string {
  return `${JSON.stringify(result, undefined, 2)}\n`;
}

/** A `--report` that cannot be understood. */
export class LoadReportOptionError extends Error {
  override readonly name = 'LoadReportOptionError';
}
