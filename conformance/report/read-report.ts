import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Report, ReportSchema } from '../model/report.ts';
import { UsageError } from '../output/usage-error.ts';

const isReport = new Ajv2020().compile<Report>(ReportSchema);

/**
 * Returns the report that a JSON text holds.
 *
 * @param source - Where the text is from, for the error: usually its path.
 * @throws {NotAReportError} for text that is no JSON report.
 */
export function readReport(text: string, source: string): Report {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NotAReportError(`${source} is not JSON`, { cause });
  }
  if (isReport(value)) return value;
  const [error] = isReport.errors ?? [];
  const where = error?.instancePath === '' ? 'it' : error?.instancePath;
  throw new NotAReportError(`${source} is not a conformance report: ${where} ${error?.message}`);
}

/** Text that is no JSON report. */
export class NotAReportError extends UsageError {}
