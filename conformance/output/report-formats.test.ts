import { Command, InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { LOAD_FORMATS } from '../../load/report/formats.ts';
import { sampleResult } from '../../load/result/sample-result.testing.ts';
import { STUDY_FORMATS } from '../../study/report/formats.ts';
import { sampleStudy } from '../../study/report/sample-study.testing.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { sampleReport } from '../report/sample-report.testing.ts';
import { commonFormats, parseReport, reportOption } from './report-formats.ts';

const formats = {
  ...commonFormats<string>('reports/run', async () => (line) => [
    { blocks: [{ kind: 'line', line }] },
  ]),
  page: { path: 'reports/run.page', load: async () => ({ write: (run: string) => `<${run}>` }) },
};

test.each([
  ['of a run', REPORT_FORMATS, sampleReport()],
  ['of load', LOAD_FORMATS, sampleResult()],
  ['of a study', STUDY_FORMATS, sampleStudy()],
])('every format %s -> a different text and a different path', async (_, table, subject) => {
  const all = Object.values(table);
  const writers = await Promise.all(all.map(({ load }) => load()));
  const texts = writers.map(({ write }) => write(subject as never).slice(0, 20));
  expect(new Set(texts).size).toBe(all.length);
  expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
});

test('JSON of text with control characters -> the same text, with each of them escaped', async () => {
  const { write } = await formats.json.load();
  const text = 'a\u001b[31m\u009b2J\u007f';
  expect(write(text)).toMatch(/^[ -~]+\n$/);
  expect(JSON.parse(write(text))).toBe(text);
});

describe('parseReport', () => {
  test('only a format -> its default path; text is sent to standard output', () => {
    expect(parseReport('page', formats)).toMatchObject({
      format: 'page',
      path: 'reports/run.page',
    });
    expect(parseReport('json', formats)).toMatchObject({
      format: 'json',
      path: 'reports/run.json',
    });
    expect(parseReport('text', formats)).toMatchObject({ format: 'text', path: '-' });
  });

  test('a path -> that path, including any further "="', () => {
    expect(parseReport('json=-', formats)).toMatchObject({ format: 'json', path: '-' });
    expect(parseReport('page=a=b.page', formats)).toMatchObject({ path: 'a=b.page' });
  });

  test('an unknown or missing format -> an error with the list of formats', () => {
    for (const text of ['yaml', 'JSON', '', '=x', 'toString', '__proto__']) {
      expect(() => parseReport(text, formats)).toThrow(InvalidArgumentError);
    }
    expect(() => parseReport('yaml', formats)).toThrow(
      'There is no format "yaml": expected text, json, markdown or page.',
    );
  });

  test('an empty path -> an error that asks for a path', () => {
    expect(() => parseReport('json=', formats)).toThrow('Expected a path after "="');
  });
});

describe('reportOption', () => {
  const parse = (...args: string[]): { format: string }[] =>
    new Command().addOption(reportOption(formats)).parse(args, { from: 'user' }).opts()['report'];
  const names = (...args: string[]) => parse(...args).map(({ format }) => format);

  test('unset -> text; reports in files are added to it, and text is not written twice', () => {
    expect(names()).toEqual(['text']);
    expect(names('--report', 'page', '--report', 'json')).toEqual(['text', 'page', 'json']);
    expect(names('--report', 'text')).toEqual(['text']);
  });

  test('its help -> lists every format', () => {
    expect(reportOption(formats).description).toBe(
      'write a report, repeatable: text, json, markdown or page',
    );
  });
});

describe('commonFormats', () => {
  test.each([
    ['text', 'a|b\n'],
    ['json', '"a|b"\n'],
    ['markdown', 'a|b\n'],
  ] as const)('%s -> the subject in that format', async (name, text) => {
    const { write } = await formats[name].load();
    expect(write('a|b')).toBe(text);
  });
});
