import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { StudyReportSchema } from '../model/study-report.ts';
import { formatBps, formatSize, formatUsd } from './format.ts';
import { STUDY_FORMATS } from './formats.ts';
import { sampleStudy } from './sample-study.testing.ts';

const HOSTILE = ['=cmd|"/bin/sh"', '<img src=x onerror=alert(1)>\u001b[31m'] as const;

async function written(format: keyof typeof STUDY_FORMATS, report = sampleStudy()) {
  return (await STUDY_FORMATS[format].load()).write(report);
}

describe('the formats of a study', () => {
  test('json -> valid against its schema', async () => {
    const isStudy = new Ajv2020({ allErrors: true }).compile(StudyReportSchema);
    expect([isStudy(JSON.parse(await written('json'))), isStudy.errors]).toEqual([true, null]);
  });

  test('text -> every table, and the worst trades', async () => {
    const text = await written('text');
    for (const title of [
      'Quoted against received',
      'Survival',
      'Between services',
      'After gas',
      'Replies',
      'Gas limits',
      'Exact output',
      'Price impact',
      'Against the best plan',
      'Reverts',
      'Rejections',
      'Worst trades',
    ]) {
      expect(text).toContain(title);
    }
    expect(text).toMatch(/one\.example over two\.example/);
    const { verdict, reason } = sampleStudy();
    const line = `${verdict.toUpperCase()}: ${reason}`;
    expect([text.split('\n')[0], text.trimEnd().split('\n').at(-1)]).toEqual([line, line]);
    expect(text).toMatch(/two\.example: reverted, SELL → \w+ of \$/);
  });

  test('csv -> a row for each trade, service and block, all with the same number of columns', async () => {
    const [header = '', ...rows] = (await written('csv')).trimEnd().split('\r\n');
    const { trades } = sampleStudy();
    const outcomes = trades.flatMap(({ answers }) =>
      answers.map((answer) => (answer.kind === 'quoted' ? answer.outcomes.length : 1)),
    );
    expect(rows).toHaveLength(outcomes.reduce((sum, count) => sum + count, 0));
    const width = header.split(',').length;
    expect(new Set(rows.map((row) => row.replace(/"[^"]*"/g, '').split(',').length))).toEqual(
      new Set([width]),
    );
    expect(rows.some((row) => row.includes(',reverted,'))).toBe(true);
    expect(rows.some((row) => row.includes('400 NO_ROUTE'))).toBe(true);
  });

  test('text from a service -> never a formula, markup or a terminal command', async () => {
    const report = sampleStudy(HOSTILE);
    expect(await written('csv', report)).toContain(`,"'=cmd|""/bin/sh""",`);
    expect(await written('html', report)).not.toContain('<img');
    expect(await written('markdown', report)).not.toContain('<img');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
    expect(await written('text', report)).not.toMatch(/\u001b/);
  });
});

describe('formatting', () => {
  test.each([
    [-0.001, '0.00'],
    [0.25, '+0.25'],
    [-10.04, '-10.0'],
    [1234.5, '+1235'],
  ])('%d basis points -> %s', (bps, text) => {
    expect(formatBps(bps)).toBe(text);
  });

  test.each([
    [-1.5, '-$1.50'],
    [0.0123456, '$0.0123'],
    [12_345.6, '$12,346'],
  ])('%d dollars -> %s', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });

  test('a size -> whole dollars with thousands separators', () => {
    expect([formatSize(1_000_000), formatSize(0.5)]).toEqual(['$1,000,000', '$0.5']);
  });
});
