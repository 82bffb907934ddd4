import type { ReportRequest } from '../report/formats.ts';
import type { Report } from '../report/report.ts';
import { writeReports } from '../report/write-reports.ts';

/** Writes the reports that were asked for; text on standard output where none was. */
export async function publishReport(
  report: Report,
  requests: readonly ReportRequest[] = [{ format: 'text', path: '-' }],
): Promise<void> {
  const { NO_COLOR } = process.env;
  await writeReports(report, requests, {
    write: (text) => process.stdout.write(text),
    colour: process.stdout.isTTY && (NO_COLOR === undefined || NO_COLOR === ''),
  });
}
