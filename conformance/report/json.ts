import { type Report, ReportSchema } from '../model/report.ts';

/** Returns the report as JSON that `docs/report.schema.json` describes. */
export function writeJson(report: Report): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** Returns the published JSON Schema (draft 2020-12) of the JSON report. */
export function reportJsonSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:swapcheck:report',
    title: 'A conformance report of swapcheck',
    ...JSON.parse(JSON.stringify(ReportSchema)),
  };
}
