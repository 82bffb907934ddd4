import { describe, expect, test } from 'vitest';
import { REPORT_FORMATS } from '../report/formats.ts';
import { parseReportOption, ReportOptionError } from './report-option.ts';

describe('parseReportOption', () => {
  test('a format alone -> its own path; text goes to standard output', () => {
    expect(parseReportOption('junit', REPORT_FORMATS)).toEqual({
      format: 'junit',
      path: 'reports/swapcheck.xml',
    });
    expect(parseReportOption('text', REPORT_FORMATS)).toEqual({ format: 'text', path: '-' });
  });

  test('a path -> that path, with any further "=" in it', () => {
    expect(parseReportOption('json=-', REPORT_FORMATS)).toEqual({ format: 'json', path: '-' });
    expect(parseReportOption('html=a=b.html', REPORT_FORMATS)).toEqual({
      format: 'html',
      path: 'a=b.html',
    });
  });

  test('an unknown format, or none -> an error that lists the formats', () => {
    for (const text of ['yaml', 'JSON', '', '=x', 'toString', '__proto__']) {
      expect(() => parseReportOption(text, REPORT_FORMATS)).toThrow(ReportOptionError);
    }
    expect(() => parseReportOption('yaml', REPORT_FORMATS)).toThrow(
      '--report yaml: there is no format "yaml"; it is one of text, json, junit, markdown, sarif, html',
    );
  });

  test('an empty path -> an error that says so', () => {
    expect(() => parseReportOption('json=', REPORT_FORMATS)).toThrow('a path is missing after "="');
  });
});
