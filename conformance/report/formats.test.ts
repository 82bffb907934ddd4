import { describe, expect, test } from 'vitest';
import { parseReportOption, REPORT_FORMATS, ReportOptionError } from './formats.ts';
import { sampleReport } from './sample-report.testing.ts';

describe('parseReportOption', () => {
  test('a format alone -> its own path; text goes to standard output', () => {
    expect(parseReportOption('junit')).toEqual({ format: 'junit', path: 'reports/swapcheck.xml' });
    expect(parseReportOption('text')).toEqual({ format: 'text', path: '-' });
  });

  test('a path -> that path, with any further "=" in it', () => {
    expect(parseReportOption('json=-')).toEqual({ format: 'json', path: '-' });
    expect(parseReportOption('html=a=b.html')).toEqual({ format: 'html', path: 'a=b.html' });
  });

  test('an unknown format, or none -> an error that lists the formats', () => {
    for (const text of ['yaml', 'JSON', '', '=x', 'toString', '__proto__']) {
      expect(() => parseReportOption(text)).toThrow(ReportOptionError);
    }
    expect(() => parseReportOption('yaml')).toThrow(
      '--report yaml: there is no format "yaml"; it is one of text, json, junit, markdown, sarif, html',
    );
  });

  test('an empty path -> an error that says so', () => {
    expect(() => parseReportOption('json=')).toThrow('a path is missing after "="');
  });
});

describe('REPORT_FORMATS', () => {
  test('every format -> a text of its own and a path of its own', () => {
    const formats = Object.values(REPORT_FORMATS);
    const texts = formats.map(({ write }) => write(sampleReport()));
    expect(new Set(texts.map((text) => text.slice(0, 20))).size).toBe(formats.length);
    expect(new Set(formats.map(({ defaultPath }) => defaultPath)).size).toBe(formats.length);
  });
});
