import type { ReportFormats, ReportOption } from './report-option.ts';
import { wantsColour } from './terminal.ts';
import { writeReports } from './write-reports.ts';

/** Writes the reports that were asked for and returns the paths of the files. */
export function publishReport<Subject, Format extends string>(
  subject: Subject,
  requests: readonly ReportOption<Format>[],
  formats: ReportFormats<Subject, Format>,
): Promise<readonly string[]> {
  return writeReports(subject, requests, formats, {
    write: (text) => process.stdout.write(text),
    colour: wantsColour(process.stdout, process.env),
  });
}

/** What is written where no report was asked for: text on standard output. */
export const TEXT_ALONE = [{ format: 'text', path: '-' }] as const;

/** Leaves out the text on standard output. */
export function withoutShownText<Format extends string>(
  requests: readonly ReportOption<Format>[],
): readonly ReportOption<Format>[] {
  return requests.filter(({ format, path }) => format !== 'text' || path !== '-');
}
