import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { Report } from '../model/report.ts';
import { UsageError } from '../output/usage-error.ts';
import { compareReports } from './compare.ts';
import { readReport } from './comparison-document.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { sampleReport } from './sample-report.testing.ts';

const published = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../docs/${name}.schema.json`, import.meta.url), 'utf8'));

describe('the published schemas', () => {
  const validate = new Ajv2020().compile(published('report'));

  test('any report -> valid against the published schema', () => {
    for (const report of [sampleReport(), hostileReport()]) {
      validate(JSON.parse(JSON.stringify(report)));
      expect(validate.errors).toBeNull();
    }
  });

  test('a report without a verdict, or with an unknown outcome -> invalid', () => {
    const { verdict: _verdict, ...rest } = sampleReport();
    expect(validate(rest)).toBe(false);
    const [first, ...others] = sampleReport().rules;
    expect(
      validate({ ...sampleReport(), rules: [{ ...first, outcome: 'skipped' }, ...others] }),
    ).toBe(false);
  });

  test('complete and incomplete comparisons -> valid; a missing list, or an unknown outcome -> invalid', () => {
    const validate = new Ajv2020().compile(published('report-comparison'));
    const empty = { ...sampleReport(), rules: [] };
    const compared = (base: Report, head: Report) =>
      JSON.parse(JSON.stringify(compareReports(base, head)));
    const seen = [
      compared(empty, hostileReport()),
      compared(hostileReport(), { ...empty, verdict: 'incomplete' }),
    ];
    for (const comparison of seen) {
      validate(comparison);
      expect(validate.errors).toBeNull();
    }
    const { newlyFailing, ...rest } = seen[0];
    expect(newlyFailing).not.toEqual([]);
    expect(validate(rest)).toBe(false);
    expect(validate({ ...seen[0], newlyFailing: [{ ...newlyFailing[0], after: 'skipped' }] })).toBe(
      false,
    );
  });
});

describe('readReport', () => {
  test('a report as JSON -> the same report', () => {
    expect(readReport(JSON.stringify(sampleReport()), 'a.json')).toEqual(sampleReport());
  });

  test('any other text -> an error that names the source and the invalid field', () => {
    expect(() => readReport('<', 'a.json')).toThrow(new UsageError('a.json is not JSON'));
    expect(() => readReport('{}', 'a.json')).toThrow(
      /^a\.json is not a conformance report: it must have required property/,
    );
    const broken = JSON.stringify({ ...sampleReport(), seed: 1.5 });
    expect(() => readReport(broken, 'b.json')).toThrow(
      'b.json is not a conformance report: /seed must be integer. Write the report again with this version',
    );
  });
});
